/** Games in progress: those of this tab by their address, and the last one of each game. @module */
import { newSeed } from "./share.js";
import { keep, kept } from "./store.js";

/**
 * @typedef {object} Running
 * @property {string} id of the game in the page's addresses
 * @property {string} link of the whole game
 * @property {import("./seats.js").Seat[]} seats
 * @property {boolean} over
 * @property {number[]} [since] the places behind the turns of people
 * @property {number} [undoable] the number of actions that may be undone
 */

/** The storage key of the last game in progress. @param {string} game its name */
const last = (game) => `playing-${game}`;

/** A name for a new game. */
export const newId = () => newSeed().toString(36);

/** The address of a game in progress, without its seed. @param {string} game @param {string} id */
export const addressOf = (game, id) => `play?game=${game}&id=${id}`;

/** @param {string} game @param {Running} running */
export function keepRunning(game, running) {
  keep(`game-${running.id}`, running, true);
  keep(last(game), running.over ? null : running);
}

/** The game of an address; another tab may have begun the last one since. @param {string} game @param {string} id @returns {Running | null} */
export function runningOf(game, id) {
  const found = kept(last(game));
  return kept(`game-${id}`, true) ?? (found?.id === id ? found : null);
}

/** The last game in progress; null without one. @param {string} game @returns {Running | null} */
export const lastRunning = (game) => kept(last(game));
