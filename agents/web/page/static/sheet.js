/** The score sheet: the points of all seats by source. @module */
import { h, replace } from "./dom.js";
import { seatmark } from "./mark.js";
import { seatName } from "./seats.js";
import { capital } from "./words.js";

/**
 * The points by source and seat as if the game ended now; null for games without sources.
 * @param {import("./games.js").Game} game
 * @param {import("./kernel.js").Kernel} kernel
 * @param {Uint8Array} state as the viewer sees it
 */
export function sheetOf(game, kernel, state) {
  const points = kernel.sheet(state), columns = kernel.columns(state);
  if (!points || !columns || points[0].length < 2) return null;
  const totals = kernel.totals(state);
  const mark = (/** @type {number} */ seat) => h("th", { class: "number", scope: "col" }, seatmark(seat, { "aria-hidden": "true" }), h("span", { class: "unseen" }, seatName(seat, undefined)));
  const row = (/** @type {string} */ name, /** @type {number[]} */ values, kind = "") => h("tr", { class: kind || null }, h("th", { scope: "row" }, name), values.map((value) => h("td", { class: value ? "number" : "number soft" }, value)));
  // The parts of a source that score for anyone, such as majorities.
  const parts = (/** @type {number} */ source) => (game.told?.columns?.[source] ?? []).flatMap((/** @type {string} */ name, /** @type {number} */ i) => {
    const values = columns.map((seat) => seat[source][i]);
    return values.some(Boolean) ? [row(capital(name), values, "part")] : [];
  });
  return h(
    "table",
    { class: "sheet" },
    h("thead", {}, h("tr", {}, h("td", {}, ""), totals.map((_, seat) => mark(seat)))),
    h("tbody", {}, game.sources().map((name, source) => [row(capital(name), points.map((seat) => seat[source])), parts(source)])),
    h("tfoot", {}, row("Total", totals)),
  );
}

/** A card with the score sheet, which is filled in while it is open. */
export class Sheet {
  /** @param {import("./games.js").Game} game */
  constructor(game) {
    this.game = game;
    this.body = h("div", { class: "stack tight" });
    this.element = h("details", { class: "card tight sheetcard", on: { toggle: () => this.fill() } }, h("summary", {}, "Score sheet"), this.body);
    /** @type {{kernel: import("./kernel.js").Kernel, state: Uint8Array} | null} */
    this.shown = null;
  }

  /** @param {import("./kernel.js").Kernel} kernel @param {Uint8Array} state @param {number} viewer */
  show(kernel, state, viewer) {
    this.shown = { kernel, state: kernel.seen(state, viewer) };
    this.element.hidden = !kernel.manifest.sheet || kernel.manifest.point_sources.length < 2 || kernel.mover(state) < 0;
    this.fill();
  }

  fill() {
    if (!this.element.open || this.element.hidden || !this.shown) return;
    const { kernel, state } = this.shown;
    replace(this.body, sheetOf(this.game, kernel, state), h("p", { class: "soft small" }, "As if the game ended now, of what you can see."));
  }
}
