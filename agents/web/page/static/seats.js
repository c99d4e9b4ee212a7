/** The seats: people, and agents with their options. @module */
import { h, labelled, replace, select } from "./dom.js";
import { written } from "./say.js";
import { keep, kept } from "./store.js";

/**
 * @typedef {object} Seat
 * @property {string} agent "human", "network", "search", or the name of one of the game's policies
 * @property {number} [seconds] thinking time of a search
 * @property {number} [level] of the network, from 1 on; without one it plays its best action
 * @property {string} [name] at a server's table, that of a person
 * @property {boolean} [here] at a server's table, whether a person is connected
 * @property {string} [forfeited] at a server's table, why the seat forfeited: "answers", "time" or "left"
 * @property {number} [place] at a server's table, at the end; behind all others if it forfeited
 */

/** Where the level of the last choice is stored, and the level of new players. */
const [LEVEL, FIRST] = ["level", 2];
const SECONDS = [0.2, 0.5, 1, 2, 5, 10];

/** @param {Seat} seat */
export const isHuman = (seat) => seat.agent === "human";

/** An agent and how it is called, with its rating where there is one. @param {import("./games.js").Game} game @param {number} players @param {string} name @param {string} [shown] @returns {[string, string]} */
export function rated(game, players, name, shown = name) {
  const rating = game.ratings(players).get(name);
  return [name, rating === undefined ? shown : `${shown} (${Math.round(rating)})`];
}

/** The agents of a game for a number of players, with labels. @param {import("./games.js").Game} game @param {number} players @returns {[string, string][]} */
export function agentsOf(game, players) {
  const say = (/** @type {string} */ name, /** @type {string} */ shown = name) => rated(game, players, name, shown);
  const policies = game.manifest.policies.map((one) => say(one.name));
  const learned = game.hasNetwork(players) ? [say("network")] : [];
  return [...policies, ...learned, ...(game.canSearch(players) ? [say("search", "search, thinks ahead")] : [])];
}

/** The seat of an agent at first: the network at the level of the last choice. @param {import("./games.js").Game} game @param {number} players @returns {Seat} */
export function opponentOf(game, players) {
  return game.hasNetwork(players) ? { agent: "network", level: kept(LEVEL) ?? FIRST } : { agent: game.manifest.policies[0].name };
}

/** How a seat is called beside its number. @param {Seat} seat */
export function calledOf(seat) {
  if (seat.name) return written(seat.name);
  if (isHuman(seat)) return "human";
  if (seat.agent === "search") return `search ${seat.seconds ?? 1} s`;
  return seat.agent === "network" && seat.level ? `network, level ${seat.level}` : seat.agent;
}

/** The players of a link; none where a person has given a name. @param {Seat[]} seats */
export const namesOf = (seats) => (seats.some(({ name }) => name) ? [] : seats.map(calledOf));

/** A seat's name for a log or a table. @param {number} number @param {Seat | undefined} seat */
export const seatName = (number, seat) => `Player ${number}${seat ? ` (${calledOf(seat)})` : ""}`;

/**
 * The controls of one seat.
 * @param {import("./games.js").Game} game
 * @param {number} players
 * @param {number} number
 * @param {Seat} seat changed in place
 */
export function seatControls(game, players, number, seat) {
  const options = /** @type {[string, string][]} */ ([["human", "Human"], ...agentsOf(game, players)]);
  if (!options.some(([name]) => name === seat.agent)) seat.agent = options.at(-1)?.[0] ?? "human";
  const fine = h("div", { class: "fine" });
  const refine = () => fine.replaceChildren(...refinements(game, seat));
  const chosen = select(options, seat.agent, (value) => {
    seat.agent = value;
    refine();
  }, { data: { seat: number } });
  refine();
  return h("fieldset", { class: "seatline" }, h("legend", { class: "unseen" }, `Player ${number}`), labelled(`Player ${number}`, chosen), fine);
}

/** @param {import("./games.js").Game} game @param {Seat} seat */
function refinements(game, seat) {
  const slider = (/** @type {string} */ text, /** @type {number} */ max, /** @type {number} */ value, /** @type {(value: number) => string} */ label, /** @type {(value: number) => void} */ set) => {
    const output = h("output", { class: "small numbers" }, label(value));
    const input = h("input", { type: "range", min: 1, max, step: 1 });
    input.value = String(value);
    input.addEventListener("input", () => {
      set(Number(input.value));
      replace(output, label(Number(input.value)));
    });
    return h("div", { class: "slider" }, labelled(text, input), output);
  };
  const { levels } = game.entry;
  if (seat.agent === "network" && levels) {
    const level = (seat.level ??= kept(LEVEL) ?? FIRST);
    return [slider("Level", levels.length, level, (value) => `${value} of ${levels.length}`, (value) => keep(LEVEL, (seat.level = value)))];
  }
  if (seat.agent !== "search") return [];
  seat.seconds ??= 1;
  return [slider("Thinking time", SECONDS.length, SECONDS.indexOf(seat.seconds) + 1, (place) => `at most ${SECONDS[place - 1]} s`, (place) => (seat.seconds = SECONDS[place - 1]))];
}
