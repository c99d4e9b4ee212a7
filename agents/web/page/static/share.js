/**
 * Games as links: `#replay?g=<game>.<version>&c=<digest>&n=<players>&s=<seed>&k=<check>&a=<actions>&at=<place>&view=<seat>`.
 * The digest is the beginning of that of the game's tables; actions are 16-bit numbers, the low byte first, in base64url
 * (RFC 4648) without padding.  The check is the number of actions, and the
 * beginnings of the SHA-256 of the fields before it, joined by spaces, and of `a`; links of earlier versions have none.  `at` and `view` may be
 * missing; `by` names the players.
 * @module
 */
import { Refused } from "./line.js";
import { sha256 } from "./sha256.js";

/** Digits of a digest in a link. */
export const DIGITS = 16;
/** Digits of a checksum in a link. */
const CHECKED = 8;
/** The fields of a game without its actions. */
const DEAL = ["g", "c", "n", "s"];
const LIMIT = 2n ** 63n;
/** Between the names of players, and characters of a name at most. */
const [BETWEEN, LONGEST] = ["|", 40];

/**
 * @typedef {object} Shared
 * @property {string} game
 * @property {number} version
 * @property {string} digest its first digits
 * @property {number} players
 * @property {bigint} seed
 * @property {number[]} actions
 * @property {number | null} at
 * @property {number | null} view a seat, -1 for everything
 * @property {string[]} by the players by seat; empty if they are unknown
 */

/** @param {number[]} actions @returns {string} */
export function packed(actions) {
  const bytes = new Uint8Array(2 * actions.length);
  actions.forEach((action, i) => bytes.set([action & 255, action >> 8], 2 * i));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text @returns {number[]} */
export function unpacked(text) {
  let bytes;
  try {
    bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    throw new Refused("the link's actions (a=) are damaged: they are no base64url");
  }
  if (bytes.length % 2) throw new Refused("the link's actions (a=) are damaged: half an action is missing");
  return Array.from({ length: bytes.length / 2 }, (_, i) => bytes.charCodeAt(2 * i) | (bytes.charCodeAt(2 * i + 1) << 8));
}

/** The fields of a link's query that name game, components, players and seed. @param {URLSearchParams} query */
export const dealOf = (query) => DEAL.map((name) => query.get(name) ?? "").join(" ");

/** @param {string} text */
const checksum = (text) => sha256(new TextEncoder().encode(text)).slice(0, CHECKED);

/** Refuse a link that was cut off or altered; the message names the field. @param {URLSearchParams} query */
function check(query) {
  const actions = query.get("a"), given = query.get("k");
  if (actions === null) throw new Refused("the link's end is missing: it has no actions (a=)");
  if (given === null) return;
  const [, count, deal, sum] = /^(\d+)\.([0-9a-f]{8})\.([0-9a-f]{8})$/.exec(given) ?? [];
  if (!count) throw new Refused("the link was altered: its check (k=) is damaged");
  if (deal !== checksum(dealOf(query))) throw new Refused("the link was altered: its game, components, players or seed (g=, c=, n=, s=) do not match its check (k=)");
  if (sum === checksum(actions)) return;
  const left = Math.floor((actions.length * 3) / 8);
  if (left < Number(count)) throw new Refused(`the link's end is missing: it has ${left} of ${count} actions (a=)`);
  throw new Refused("the link was altered: its actions (a=) do not match its check (k=)");
}

/** Parse a typed seed. @param {string} text @returns {bigint} */
export function readSeed(text) {
  if (!/^\d{1,19}$/.test(text.trim()) || BigInt(text.trim()) >= LIMIT) {
    throw new Refused(`the seed must be a whole number from 0 to 2⁶³−1, not “${text}”`);
  }
  return BigInt(text.trim());
}

/** A random seed, short enough to dictate. @returns {bigint} */
export function newSeed() {
  return BigInt(crypto.getRandomValues(new Uint32Array(1))[0]);
}

/**
 * The fragment of a game's link.
 * @param {import("./line.js").Line} line
 * @param {string} screen
 * @param {{at?: number, view?: number, by?: string[]}} [more]
 */
export function linkOf(line, screen, { by = [], ...place } = {}) {
  const { manifest, digest, players } = line.kernel, actions = packed(line.actions);
  const query = new URLSearchParams({
    g: `${manifest.game}.${manifest.version}`,
    c: digest.slice(0, DIGITS),
    n: String(players),
    s: String(line.seed),
  });
  query.set("k", [line.length, checksum(dealOf(query)), checksum(actions)].join("."));
  query.set("a", actions);
  for (const [name, value] of Object.entries(place)) query.set(name, String(value));
  return namedLink(`#${screen}?${query}`, by);
}

/** A link with the names of its players. @param {string} link @param {string[]} by */
export const namedLink = (link, by) => (by.length ? `${link}&${new URLSearchParams({ by: by.join(BETWEEN) })}` : link);

/** @param {URLSearchParams} query @param {string} name @returns {number | null} */
function whole(query, name) {
  const text = query.get(name);
  if (text === null) return null;
  if (!/^-?\d{1,9}$/.test(text)) throw new Refused(`the link's ${name}= must be a whole number, not “${text}”`);
  return Number(text);
}

/** @param {string | null} text @param {number} players */
function namesOf(text, players) {
  const names = (text ?? "").split(BETWEEN).map((name) => name.slice(0, LONGEST));
  return names.length === players && names.every(Boolean) ? names : [];
}

/**
 * Parse a link's query; Refused names the invalid field.
 * @param {URLSearchParams} query
 * @returns {Shared}
 */
export function readLink(query) {
  const game = /^([a-z0-9_]+)\.(\d+)$/.exec(query.get("g") ?? "");
  if (!game) throw new Refused("the link does not say which game it is of (g=name.version)");
  check(query);
  const players = whole(query, "n");
  if (players === null) throw new Refused("the link does not say how many play (n=)");
  return {
    game: game[1],
    version: Number(game[2]),
    digest: query.get("c") ?? "",
    players,
    seed: readSeed(query.get("s") ?? ""),
    actions: unpacked(query.get("a") ?? ""),
    at: whole(query, "at"),
    view: whole(query, "view"),
    by: namesOf(query.get("by"), players),
  };
}
