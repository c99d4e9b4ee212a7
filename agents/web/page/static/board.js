/** The board: rows as SVG elements, and the places that can be clicked. @module */
import { spoken } from "./actions.js";
import { button, focusQuietly, focusedOf, h, isUnfocused, replace, s, whenFocused } from "./dom.js";
import {
  CENTRED, ELLIPSE, H, KIND, LEFT, RECT, STYLE, SYMBOL, TEXT, W, X, Y,
  actionsAt, certain, changed, placesOf, starts, stringOf, widthOf,
} from "./drawing.js";
import { say } from "./say.js";
import { Tip } from "./tip.js";

/** Units of the grid on which symbols are drawn. */
const GRID = 24;
const ZOOMS = [1, 1.5, 2.25, 3];

/** One row as an element. @param {any} drawing @param {Int32Array} rows @param {number} at @param {string[]} [texts] in the language of the page @returns {SVGElement} */
function shape(drawing, rows, at, texts) {
  const style = drawing.styles[rows[at + STYLE]];
  const [x, y, width, height] = [rows[at + X], rows[at + Y], rows[at + W], rows[at + H]];
  const common = { class: `d-${style.name}`, data: { row: at / 9 } };
  switch (rows[at + KIND]) {
    case RECT:
      return s("rect", { x, y, width, height, rx: Math.min(style.radius, width / 2, height / 2) || null, ...common });
    case ELLIPSE:
      return s("ellipse", { cx: x + width / 2, cy: y + height / 2, rx: width / 2, ry: height / 2, ...common });
    case SYMBOL: {
      const transform = `translate(${x} ${y}) scale(${width / GRID} ${height / GRID})`;
      const d = drawing.symbols[rows[at + TEXT]].path;
      return s("path", { d, transform, "fill-rule": "evenodd", ...common });
    }
  }
  const kind = rows[at + KIND], text = stringOf(drawing, rows, at, texts);
  const [anchor, left] = kind === CENTRED ? ["middle", x + width / 2] : kind === LEFT ? ["start", x] : ["end", x + width];
  const tooWide = width > 0 && widthOf(drawing, text, height, style.bold) > width;
  const fit = tooWide ? { textLength: width, lengthAdjust: "spacingAndGlyphs" } : {};
  const baseline = y + (height * drawing.font.baseline) / 1000;
  return s("text", { x: left, y: baseline, "font-size": height, "text-anchor": anchor, ...fit, ...common }, text);
}

export class Board {
  /**
   * @param {import("./games.js").Game} game
   * @param {(action: number) => void} chosen
   */
  constructor(game, chosen) {
    this.game = game;
    this.drawing = game.manifest.common.drawing;
    this.chosen = chosen;
    this.zoom = 0;
    this.svg = s("svg", { class: `board board-${this.drawing?.name}`, role: "group", "aria-label": "The board" });
    this.menu = h("div", { class: "menu card", hidden: true, role: "group" });
    this.pane = h("div", { class: "pane", tabindex: "-1" }, this.svg);
    this.zoomed = button("Larger", () => this.enlarge(), { class: "quiet", title: "The size of the board" });
    this.tip = new Tip(this);
    this.element = h("div", { class: "frame" }, this.pane, this.menu, this.tip.element);
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape" && !this.menu.hidden) this.close(true);
    });
    this.pane.addEventListener("scroll", () => {
      this.tip.hide();
      this.close(false);
    });
    /** @type {import("./words.js").Words | null} */
    this.words = null;
    /** @type {(action: number) => string} */
    this.effects = () => "";
    /** How an action certainly changes the drawing. @type {(action: number) => {come: Int32Array[], go: number[]}} */
    this.following = () => ({ come: [], go: [] });
    /** The actions of each place. @type {Map<number, number[]>} */
    this.able = new Map();
    /** Called with the actions of the place that is pointed at. @type {(actions: number[]) => void} */
    this.pointed = () => {};
    this.ghost = s("g", { class: "ghost" });
    /** @type {Element | null} */
    this.opener = null;
    /** Where who plays by keyboard was when there was nothing left to choose: the name of a place. @type {string | null} */
    this.awaited = null;
  }

  /**
   * Draws a position.
   * @param {import("./kernel.js").Kernel} kernel
   * @param {Uint8Array} state
   * @param {{viewer: number, actions?: number[], before?: Uint8Array | null, effects?: (action: number) => string, after?: (action: number) => Uint8Array[],
   *   words?: import("./words.js").Words | null, asked?: ((place: number) => void) | null}} how viewing seat, -1 for the whole state; actions to offer; the state to compare with; what actions
   *   do; states that may follow from one; the words of explanations; called for a place without actions
   */
  show(kernel, state, { viewer, actions = [], before = null, effects = () => "", after = () => [], words = null, asked = null }) {
    const { drawing } = this;
    this.element.hidden = !drawing;
    if (!drawing) return;
    const rows = kernel.rows(state, viewer), [width, height] = drawing.sizes[kernel.players];
    const active = focusedOf(this.svg), focused = this.svg.contains(active) ? /** @type {any} */ (active) : null;
    if (focused) this.awaited = focused.dataset.place ?? "";
    else if (!isUnfocused(active) && !this.menu.contains(active)) this.awaited = null;
    this.close(false);
    replace(this.ghost);
    this.effects = effects;
    this.words = words;
    this.tip.draw(words, rows, width * height);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const places = placesOf(rows), able = actionsAt(drawing, places, actions);
    this.able = able;
    this.following = (action) => {
      const seat = viewer < 0 ? kernel.mover(state) : viewer;
      return certain(kernel.rows(state, seat), after(action).map((one) => kernel.rows(one, seat)));
    };
    const old = before && changed(kernel.rows(before, viewer), rows, width * height);
    replace(
      this.svg,
      s("g", { class: "shapes" }, starts(rows).map((at) => shape(drawing, rows, at, this.texts))),
      s("g", { class: "news" }, (old || []).map((box) => this.outline(box, "new"))),
      this.ghost,
      s("g", { class: "places" }, this.spots(places, able, asked)),
    );
    if (this.awaited !== null && able.size) {
      this.refocus(this.awaited);
      this.awaited = null;
    }
  }

  /** Who plays by keyboard stays on the board: at the same place, or the first one. @param {string} name */
  refocus(name) {
    const legal = [...this.svg.querySelectorAll(".legal")];
    focusQuietly(legal.find((one) => one.dataset.place === name) ?? legal[0]);
  }

  /** @param {import("./drawing.js").Box} box @param {string} kind */
  outline({ x, y, w, h: height }, kind) {
    return s("rect", { x: x - 2, y: y - 2, width: w + 4, height: height + 4, rx: 6, class: kind });
  }

  /** The lettering in the language of the page; none in that of the drawing. @returns {string[] | undefined} */
  get texts() {
    return this.game.told?.lettering ?? undefined;
  }

  /** Places with actions above others, small above large ones, so that each can be clicked. @param {Map<number, any>} places @param {Map<number, number[]>} able @param {((place: number) => void) | null} asked */
  spots(places, able, asked) {
    const above = (/** @type {number} */ place) => Number(able.has(place));
    const order = [...places].sort(([one, a], [other, b]) => above(one) - above(other) || b.w * b.h - a.w * a.h);
    return order.map(([place, box]) => {
      const { name, title } = this.drawing.places[place], actions = able.get(place);
      const called = this.words ? this.words.title({ name, title }) : title;
      const rect = { x: box.x, y: box.y, width: box.w, height: box.h, rx: 6 };
      if (!actions) return s("g", { class: "spot", data: { place: name }, on: asked ? { click: () => asked(place) } : {} }, s("rect", rect));
      const texts = actions.map((action) => this.game.text(action));
      const label = [called, texts.join(", ")].filter(Boolean).join(": ");
      const press = () => this.press(spot, actions);
      const keyed = (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        press();
      };
      const spot = s(
        "g",
        { class: "spot legal", role: "button", tabindex: "0", "aria-label": label, data: { place: name, number: place, called }, on: { click: press, keydown: keyed, mouseenter: () => this.point(actions), mouseleave: () => this.point([]), focus: whenFocused(() => this.point(actions)), blur: () => this.point([]) } },
        s("rect", rect),
      );
      return spot;
    });
  }

  /** A place is pointed at: mark its actions in the list, and preview a single one. @param {number[]} actions of it, none for no place */
  point(actions) {
    this.pointed(actions);
    this.preview(actions.length === 1 ? actions[0] : null);
  }

  /** Draw what certainly follows from an action, and mark its place; null for none. @param {number | null} action */
  preview(action) {
    for (const one of this.svg.querySelectorAll(".spot.legal")) {
      const place = Number(/** @type {any} */ (one).dataset.number);
      one.classList.toggle("pointed", action !== null && (this.able.get(place) ?? []).includes(action));
    }
    const { come, go } = action === null ? { come: [], go: [] } : this.following(action), gone = new Set(go);
    replace(this.ghost, come.map((row) => shape(this.drawing, row, 0, this.texts)));
    for (const one of this.svg.querySelectorAll(".shapes > *")) one.toggleAttribute("data-leaving", gone.has(Number(/** @type {any} */ (one).dataset.row)));
  }

  /** One action is chosen at once, of several one is asked for. @param {Element} spot @param {number[]} actions */
  press(spot, actions) {
    if (actions.length === 1) {
      this.chosen(actions[0]);
      return;
    }
    this.tip.hide();
    this.opener = spot;
    const [frame, at] = [this.element.getBoundingClientRect(), spot.getBoundingClientRect()];
    const options = actions.map((action) => button(spoken(this.game, action, this.effects(action)), () => this.pick(action), { title: this.game.notation(action), data: { action } }));
    replace(this.menu, ...options, button("Cancel", () => this.close(true), { class: "quiet" }));
    this.menu.hidden = false;
    this.menu.setAttribute("aria-label", /** @type {any} */ (spot).dataset.called || say("Choices"));
    const left = Math.min(at.left - frame.left, frame.width - this.menu.offsetWidth - 8);
    const below = at.bottom - frame.top + 6, space = frame.height - this.menu.offsetHeight - 8;
    this.menu.style.left = `${Math.max(8, left)}px`;
    this.menu.style.top = `${Math.max(8, Math.min(below, space))}px`;
    options[0].focus();
  }

  /** @param {number} action */
  pick(action) {
    const opener = /** @type {any} */ (this.opener);
    this.awaited = opener?.dataset.place ?? "";
    this.close(false);
    this.chosen(action);
  }

  /** @param {boolean} back whether the opener of the menu gets the focus */
  close(back) {
    if (this.menu.hidden) return;
    this.menu.hidden = true;
    if (back) /** @type {any} */ (this.opener)?.focus();
  }

  /** The next size; after the largest the smallest. */
  enlarge() {
    this.zoom = (this.zoom + 1) % ZOOMS.length;
    this.pane.classList.toggle("larger", this.zoom > 0);
    this.svg.style.width = this.zoom ? `${100 * ZOOMS[this.zoom]}%` : "";
    this.pane.tabIndex = this.zoom ? 0 : -1;
    replace(this.zoomed, this.zoom ? `${ZOOMS[this.zoom]} ×` : "Larger");
  }
}
