/** The seats: people, and agents with their options. @module */
import { h, labelled, replace, select } from "./dom.js";

/**
 * @typedef {object} Seat
 * @property {string} agent "human", "network", "search", or the name of one of the game's policies
 * @property {number} [seconds] thinking time of a search
 * @property {number} [strength] 1 to 10; 10 plays the best action, lower values sample more freely
 * @property {boolean} [here] at a server's table, whether a person is connected
 * @property {string} [forfeited] at a server's table, why the seat forfeited: "answers", "time" or "left"
 * @property {number} [place] at a server's table, at the end; behind all others if it forfeited
 */

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

/** The best rated agent that answers at once; without ratings the last one. @param {import("./games.js").Game} game @param {number} players @returns {string} */
export function strongestOf(game, players) {
  const rated = game.ratings(players);
  const names = agentsOf(game, players).map(([name]) => name).filter((name) => name !== "search");
  return names.reduce((best, name) => ((rated.get(name) ?? -Infinity) >= (rated.get(best) ?? -Infinity) ? name : best));
}

/** How a seat is called beside its number. @param {Seat} seat */
export function calledOf(seat) {
  if (isHuman(seat)) return "human";
  return seat.agent === "search" ? `search ${seat.seconds ?? 1} s` : seat.agent;
}

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
  const refine = () => fine.replaceChildren(...refinements(seat));
  const chosen = select(options, seat.agent, (value) => {
    seat.agent = value;
    refine();
  }, { data: { seat: number } });
  refine();
  return h("fieldset", { class: "seatline" }, h("legend", { class: "unseen" }, `Player ${number}`), labelled(`Player ${number}`, chosen), fine);
}

/** @param {Seat} seat */
function refinements(seat) {
  if (seat.agent !== "network" && seat.agent !== "search") return [];
  const slider = (/** @type {string} */ text, /** @type {number} */ max, /** @type {number} */ value, /** @type {(value: number) => string} */ label) => {
    const output = h("output", { class: "small numbers" }, label(value));
    const input = h("input", { type: "range", min: 1, max, step: 1 });
    input.value = String(value);
    input.addEventListener("input", () => replace(output, label(Number(input.value))));
    return h("div", { class: "slider" }, labelled(text, input), output);
  };
  seat.strength ??= 10;
  const found = [slider("Strength", 10, seat.strength, (value) => `${(seat.strength = value)} of 10`)];
  if (seat.agent === "search") {
    seat.seconds ??= 1;
    found.push(slider("Thinking time", SECONDS.length, SECONDS.indexOf(seat.seconds) + 1, (place) => `at most ${(seat.seconds = SECONDS[place - 1])} s`));
  }
  return found;
}
