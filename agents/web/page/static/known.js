/** Tables of servers that this machine has had to do with: the links of their seats. @module */
import { keep, kept } from "./store.js";

/** So many are remembered; the tokens stand nowhere else. */
const MOST = 500;

/**
 * @typedef {object} Known
 * @property {string} table
 * @property {string} game
 * @property {string[]} seats "human" or an agent, of each
 * @property {Record<string, string>} tokens of seats of people, as far as they are known here
 * @property {number | null} mine one's own seat
 * @property {string} seen when it was last looked at
 * @property {string | null} [analysis] the agent that may be asked about it
 * @property {string} [over] the link of the whole game, once it has ended
 */

/** What is known where a browser keeps nothing. @type {Known[]} */
let unkept = [];

/** The last one first. @returns {Known[]} */
export const knownTables = () => kept("tables") ?? unkept;

/** @param {Known[]} tables */
function keepTables(tables) {
  unkept = tables;
  keep("tables", tables);
}

/** @param {string} table @returns {Known | undefined} */
export const knownTable = (table) => knownTables().find((one) => one.table === table);

/** Remembers a table, with what is known of it already. @param {Omit<Known, "seen">} said */
export function remember(said) {
  const before = knownTable(said.table), tokens = { ...before?.tokens, ...said.tokens };
  const others = knownTables().filter(({ table }) => table !== said.table);
  keepTables([{ ...before, ...said, tokens, seen: new Date().toISOString() }, ...others].slice(0, MOST));
}

/** @param {string} table */
export function forget(table) {
  keepTables(knownTables().filter((one) => one.table !== table));
}

/** The fragment of a seat's link; what stands in a fragment is not sent to servers. @param {string} token */
export const seatLink = (token) => `#seat?k=${encodeURIComponent(token)}`;
