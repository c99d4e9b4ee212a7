/** Server tables that this browser knows, with the links of their seats. @module */
import { keep, kept } from "./store.js";

/** Largest number of remembered tables; their tokens are stored nowhere else. */
const MOST = 500;

/**
 * @typedef {object} Known
 * @property {string} table
 * @property {string} game
 * @property {string[]} seats "human" or an agent, of each
 * @property {Record<string, string>} tokens of seats, as far as this browser has them
 * @property {Record<string, string>} [invitations] of the other people's seats, if the table was opened here
 * @property {number | null} mine this browser's seat
 * @property {string | null} [onlooker] the token of onlookers, if this browser has it
 * @property {string} seen when it was last looked at
 * @property {string | null} [analysis] the agent that may be asked about it
 * @property {string} [over] the link of the whole game, once it has ended
 */

/** The known tables of a browser without storage. @type {Known[]} */
let unkept = [];
/** Tokens that replace invitations, by table and seat. @type {Record<string, string>} */
let claims = {};

/** The most recent table first. @returns {Known[]} */
export const knownTables = () => kept("tables") ?? unkept;

/** @param {Known[]} tables */
function keepTables(tables) {
  unkept = tables;
  keep("tables", tables);
}

/** @param {string} table @returns {Known | undefined} */
export const knownTable = (table) => knownTables().find((one) => one.table === table);

/** Remember a table; fields that are known already stay. @param {Omit<Known, "seen">} table */
export function remember(table) {
  const before = knownTable(table.table), tokens = { ...before?.tokens, ...table.tokens };
  const others = knownTables().filter((one) => one.table !== table.table);
  keepTables([{ ...before, ...table, tokens, seen: new Date().toISOString() }, ...others].slice(0, MOST));
}

/** @param {string} table */
export function forget(table) {
  keepTables(knownTables().filter((one) => one.table !== table));
}

/** Whether there are links for other people. @param {Known} known */
export const hasLinks = ({ tokens, invitations = {}, mine, onlooker }) => Boolean(onlooker) || Object.keys({ ...tokens, ...invitations }).some((seat) => Number(seat) !== mine);

/** The fragment of a seat's link; browsers do not send fragments to servers. @param {string} token */
export const seatLink = (token) => `#seat?k=${encodeURIComponent(token)}`;

/** The fragment of an invitation's link. @param {string} invitation */
export const invitationLink = (invitation) => `#seat?invitation=${encodeURIComponent(invitation)}`;

/**
 * The token that replaces an invitation. It is drawn once and stored, so that a reload repeats the same request.
 * @param {string} invitation
 * @returns {string}
 */
export function claimOf(invitation) {
  const seat = invitation.split(".").slice(0, 2).join(".");
  claims = { ...claims, ...kept("claims") };
  if (!(seat in claims)) {
    const secret = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24))));
    claims[seat] = `${seat}.${secret.replaceAll("+", "-").replaceAll("/", "_")}`;
    keep("claims", Object.fromEntries(Object.entries(claims).slice(-MOST)));
  }
  return claims[seat];
}
