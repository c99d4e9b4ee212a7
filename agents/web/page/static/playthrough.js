/**
 * The project's playthroughs: games as text, with a digest of the state after every action.
 *
 *     # seed 7
 *     game         dice_v0, 2 players
 *     tables       3f6c...
 *     start        9a41...
 *     1  player 0  bid 1  4 legal  9d5c1a20
 *     scores       16 17
 *     end          9d5c...
 *
 * A seed stands in a comment, where it stands at all: it is believed when its game begins with the file's digest.
 * @module
 */
import { Line, Refused } from "./line.js";
import { sha256 } from "./sha256.js";

const MOVE = /^(\d+) {2}player (\d+) {2}(.+?) {2}(\d+) legal {2}([0-9a-f]{8})$/;
const HEADER = /^([a-z0-9_]+)_v(\d+), (\d+) players$/;

/**
 * @typedef {object} Playthrough
 * @property {string} game
 * @property {number} version
 * @property {number} players
 * @property {string} tables
 * @property {string} start
 * @property {bigint[]} seeds that its comments name
 * @property {{number: number, action: string, digest: string}[]} moves with the numbers of their lines
 */

/**
 * Parse a file; Refused names the invalid line.
 * @param {string} text
 * @returns {Playthrough}
 */
export function readPlaythrough(text) {
  /** @type {any} */
  const found = { seeds: [], moves: [] };
  text.split(/\r?\n/).forEach((line, i) => {
    const label = line.slice(0, 13).trim(), rest = line.slice(13);
    if (line.startsWith("#")) found.seeds.push(...[...line.matchAll(/\bseed (\d{1,19})\b/g)].map((one) => BigInt(one[1])));
    else if (label === "game") {
      const header = HEADER.exec(rest);
      if (!header) throw new Refused(`line ${i + 1}: “${line}” does not name a game, its version and its players`);
      Object.assign(found, { game: header[1], version: Number(header[2]), players: Number(header[3]) });
    } else if (label === "tables" || label === "start") found[label] = rest.trim();
    else if (line && !["legal", "scores", "end"].includes(label)) {
      const move = MOVE.exec(line);
      if (!move) throw new Refused(`line ${i + 1} cannot be read: “${line}”`);
      found.moves.push({ number: i + 1, action: move[3], digest: move[5] });
    }
  });
  const missing = ["game", "tables", "start"].find((name) => !(name in found));
  if (missing) throw new Refused(`this is no playthrough: it has no line “${missing}”`);
  return found;
}

/**
 * Plays a file again; Refused names the first line that does not come true.
 * @param {Playthrough} file
 * @param {import("./kernel.js").Kernel} kernel for its game and number of players
 * @param {bigint[]} [seeds] more to try
 * @returns {Line}
 */
export function replayed(file, kernel, seeds = []) {
  if (file.tables !== kernel.digest) throw new Refused("it was played with other components than this page has");
  const seed = [...seeds, ...file.seeds].find((one) => sha256(kernel.start(one)) === file.start);
  if (seed === undefined) {
    throw new Refused("the file does not tell the seed it began from: a comment “# seed 7” at its top would");
  }
  const line = new Line(kernel, seed);
  for (const { number, action, digest } of file.moves) {
    const id = kernel.texts.indexOf(action);
    if (id < 0) throw new Refused(`line ${number}: “${action}” is no action`);
    line.play(id);
    if (!sha256(line.last).startsWith(digest)) throw new Refused(`line ${number}: the game goes otherwise here`);
  }
  return line;
}

/**
 * A game as a playthrough, up to where it has come.
 * @param {Line} line
 * @returns {string}
 */
export function writePlaythrough(line) {
  const { kernel } = line, { manifest } = kernel;
  const moves = line.actions.map((action, i) => {
    const choices = kernel.legal(line.states[i]).length, digest = sha256(line.states[i + 1]).slice(0, 8);
    return `${i + 1}  player ${line.mover(i)}  ${kernel.texts[action]}  ${choices} legal  ${digest}`;
  });
  const lines = [
    `# seed ${line.seed}`,
    `game         ${manifest.game}_v${manifest.version}, ${kernel.players} players`,
    `tables       ${kernel.digest}`,
    `start        ${sha256(line.states[0])}`,
    ...moves,
  ];
  if (line.isOver) lines.push("", `scores       ${kernel.totals(line.last).join(" ")}`, `end          ${sha256(line.last)}`);
  return `${lines.join("\n")}\n`;
}
