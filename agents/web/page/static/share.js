/**
 * Games as links: `#replay?g=<game>.<version>&c=<digest>&n=<players>&s=<seed>&a=<actions>&at=<place>&view=<seat>`.
 * The digest is the beginning of that of the game's tables; actions are 16-bit numbers, the low byte first, in base64url
 * (RFC 4648) without padding.  `at` and `view` may be missing.
 * @module
 */
import { Refused } from "./line.js";

/** Digits of a digest in a link. */
export const DIGITS = 16;
const LIMIT = 2n ** 63n;

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
 * @param {{at?: number, view?: number}} [place]
 */
export function linkOf(line, screen, place = {}) {
  const { manifest, digest, players } = line.kernel;
  const query = new URLSearchParams({
    g: `${manifest.game}.${manifest.version}`,
    c: digest.slice(0, DIGITS),
    n: String(players),
    s: String(line.seed),
    a: packed(line.actions),
  });
  for (const [name, value] of Object.entries(place)) query.set(name, String(value));
  return `#${screen}?${query}`;
}

/** @param {URLSearchParams} query @param {string} name @returns {number | null} */
function whole(query, name) {
  const text = query.get(name);
  if (text === null) return null;
  if (!/^-?\d{1,9}$/.test(text)) throw new Refused(`the link's ${name}= must be a whole number, not “${text}”`);
  return Number(text);
}

/**
 * Parse a link's query; Refused names the invalid field.
 * @param {URLSearchParams} query
 * @returns {Shared}
 */
export function readLink(query) {
  const game = /^([a-z0-9_]+)\.(\d+)$/.exec(query.get("g") ?? "");
  if (!game) throw new Refused("the link does not say which game it is of (g=name.version)");
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
  };
}
