/**
 * Study of a running game from a sampled position: a state that the seat cannot tell from the true one.
 *
 * Only the sampled position and the actions after it are kept: neither the seed nor hidden cards of the true game.
 * @module
 */
import { h } from "./dom.js";
import { bytesOf } from "./kernel.js";
import { Line, Refused } from "./line.js";
import { newId } from "./running.js";
import { newSeed } from "./share.js";
import { keep, kept } from "./store.js";
import { Study } from "./study.js";

/**
 * @typedef {object} Sampled
 * @property {string} game
 * @property {number} players
 * @property {string} state base64
 * @property {number[]} actions since then
 * @property {number} at
 * @property {number} view
 * @property {string} back the address of the game
 */

/** The storage key of a sampled position. @param {string} id */
const place = (id) => `sampled-${id}`;

/**
 * Sample a position and return the address of its study.
 * @param {import("./line.js").Line} line @param {number} seat @param {string} back the address of the game
 */
export function sampled(line, seat, back) {
  const { kernel, last } = line, id = newId();
  const state = kernel.determinize(kernel.seen(last, seat), seat, newSeed());
  const text = btoa(Array.from(state, (byte) => String.fromCharCode(byte)).join(""));
  keep(place(id), { game: kernel.manifest.game, players: kernel.players, state: text, actions: [], at: 0, view: seat, back }, true);
  return `study?sampled=${id}`;
}

/** @param {import("./app.js").Context} context @returns {Promise<import("./app.js").Screen>} */
export async function show(context) {
  const id = context.query.get("sampled") ?? "";
  /** @type {Sampled | null} */
  const found = kept(place(id), true);
  if (!found) throw new Refused("this browser does not have this game any more");
  const game = await context.game(found.game), line = new Line(game.kernel(found.players), 0n, bytesOf(found.state));
  for (const action of found.actions) line.play(action);
  // A server's agent knows no sampled games.
  return new SampledStudy({ ...context, analystOf: async () => null }, game, line, found, id).screen();
}

class SampledStudy extends Study {
  /** @param {import("./app.js").Context} context @param {import("./games.js").Game} game @param {Line} line @param {Sampled} found @param {string} id */
  constructor(context, game, line, found, id) {
    super(context, game, line, { at: found.at, view: found.view, screen: "study" });
    this.found = found;
    this.id = id;
    const note = h("section", { class: "card stack tight", "aria-label": "Sampled position" }, h("p", { class: "small" }, "You study a sampled position: what you cannot see in your game was drawn at random here."));
    this.table.side.prepend(note);
    this.table.tools.prepend(h("a", { class: "button quiet", href: `#${found.back}` }, "Back to the game"));
  }

  /** A link or a file would need a seed. */
  toolButtons() {
    return [];
  }

  /** The position has no link, and is kept. */
  showAddress() {
    keep(place(this.id), { ...this.found, actions: this.line.actions, at: this.at, view: this.viewer }, true);
  }
}
