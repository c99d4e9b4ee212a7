/** Explanations of what is drawn: a place, a card or a symbol that is pointed at, focused, or pressed for long. @module */
import { Bubble, PATIENCE, PRESS, sentence } from "./bubble.js";
import { h } from "./dom.js";
import { KIND, PLACE, RECT, STYLE, SYMBOL, TEXT, boxOf, placesOf, starts, stringOf, widthOf } from "./drawing.js";
import { explanationOf } from "./words.js";

/** Pixels that a finger may move while it presses, units around small symbols, and the most explanations and actions at once. */
const [TREMBLE, AROUND, SOME] = [10, 4, 2];
/** The largest part of a board that is explained as one thing. */
const LARGEST = 1 / 6;
/** Styles of surfaces, on which things lie. */
const SURFACES = ["paper", "panel", "area", "asked"];

/** @typedef {import("./drawing.js").Box} Box */
/** @typedef {{box: Box, name: string | null, place: number}} Thing a part of the drawing: its component, its place or -1 */

const area = (/** @type {Box} */ box) => box.w * box.h;
const within = (/** @type {Box} */ box, /** @type {number} */ x, /** @type {number} */ y) => x >= box.x && y >= box.y && x <= box.x + box.w && y <= box.y + box.h;

export class Tip {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.bubble = new Bubble("tip");
    this.element = this.bubble.element;
    /** @type {import("./words.js").Words | null} */
    this.words = null;
    /** What is drawn, and texts with the name of a component. @type {Thing[]} */
    this.things = [];
    /** @type {Thing[]} */
    this.written = [];
    /** @type {Thing | null} */
    this.at = null;
    /** Where a finger presses. @type {{x: number, y: number} | null} */
    this.pressed = null;
    /** True after a long press: the click that follows it is ignored. */
    this.long = false;
    const all = board.element, on = (/** @type {string} */ event, /** @type {(event: any) => void} */ heard) => all.addEventListener(event, heard);
    on("pointermove", (event) => (event.pointerType === "touch" ? this.trembled(event) : this.pointed(event, PATIENCE)));
    on("pointerleave", () => this.hide());
    on("pointerdown", (event) => {
      this.hide();
      this.long = false;
      if (event.pointerType !== "touch") return;
      this.pressed = { x: event.clientX, y: event.clientY };
      this.pointed(event, PRESS);
    });
    for (const event of ["pointerup", "pointercancel"]) on(event, () => this.released());
    on("contextmenu", (event) => this.pressed && event.preventDefault());
    on("focusin", ({ target }) => this.wait(this.things.find(({ place }) => String(place) === target.dataset.number) ?? null, PATIENCE));
    on("focusout", () => this.hide());
    all.addEventListener("click", (/** @type {Event} */ event) => {
      if (this.long) event.stopPropagation();
      this.long = false;
    }, true);
  }

  /** Take over what is drawn now. @param {import("./words.js").Words | null} words @param {Int32Array} rows @param {number} whole area of the board */
  draw(words, rows, whole) {
    this.hide();
    this.words = words;
    if (!words) return;
    const { drawing } = this.board, { places, sections } = words.data;
    let section = "";
    this.things = [...placesOf(rows)].map(([place, box]) => ({ box, name: places[drawing.places[place].name] ?? null, place }));
    this.written = [];
    for (const at of starts(rows)) {
      const kind = rows[at + KIND], box = boxOf(rows, at), style = drawing.styles[rows[at + STYLE]].name;
      const part = kind === SYMBOL ? drawing.symbols[rows[at + TEXT]].name : kind > SYMBOL ? drawing.texts[rows[at + TEXT]] : `style ${style}`;
      section = sections[kind === SYMBOL ? `symbol ${part}` : part] ?? section;
      const name = places[part] ?? (kind > SYMBOL || SURFACES.includes(style) ? null : section || null);
      if (kind === SYMBOL) this.things.push({ box: { x: box.x - AROUND, y: box.y - AROUND, w: box.w + 2 * AROUND, h: box.h + 2 * AROUND }, name, place: -1 });
      else if (kind === RECT && rows[at + PLACE] < 0) this.things.push({ box, name, place: -1 });
      else if (kind > SYMBOL && name) {
        const thing = { box: { ...box, w: box.w || widthOf(drawing, stringOf(drawing, rows, at), box.h, false) }, name, place: -1 };
        this.written.push(thing);
        this.things.push(thing);
      }
    }
    this.things = this.things.filter(({ box }) => area(box) > 0 && area(box) < LARGEST * whole).sort((one, other) => area(one.box) - area(other.box));
  }

  /** The components of a part: that which is written in it, and its own. @param {Thing} thing @returns {string[]} */
  names({ box, name }) {
    const written = this.written.filter(({ box: one }) => within(box, one.x + one.w / 2, one.y + one.h / 2)).map((one) => one.name);
    return [...new Set([...(written.length > SOME ? [] : written), name])].filter((one) => one !== null).slice(0, SOME);
  }

  /** @param {PointerEvent} event @param {number} patience */
  pointed(event, patience) {
    const matrix = /** @type {any} */ (event.target)?.closest("svg.board")?.getScreenCTM();
    if (!matrix || !this.words) {
      this.hide();
      return;
    }
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const found = this.above(x, y);
    if (found !== this.at) this.wait(found, patience);
  }

  /** The smallest part with an explanation at a point of the board. @param {number} x @param {number} y @returns {Thing | null} */
  above(x, y) {
    return this.things.find((thing) => within(thing.box, x, y) && this.names(thing).length) ?? null;
  }

  /** @param {Thing | null} thing @param {number} patience */
  wait(thing, patience) {
    this.hide();
    this.at = thing;
    if (thing) this.bubble.wait(() => this.show(thing), patience);
  }

  /** @param {PointerEvent} event */
  trembled({ clientX, clientY }) {
    const { pressed } = this;
    if (pressed && Math.hypot(clientX - pressed.x, clientY - pressed.y) > TREMBLE) this.hide();
  }

  released() {
    this.long = this.pressed !== null && !this.element.hidden;
    this.pressed = null;
    if (this.element.hidden) this.hide();
  }

  hide() {
    this.at = null;
    this.bubble.hide();
  }

  /** @param {Thing} thing */
  show(thing) {
    const { board, words } = this, names = this.names(thing), matrix = board.partOf(thing.box).svg.getScreenCTM();
    if (!words || !names.length || !board.menu.hidden || !matrix) return;
    const { explanations, names: titles } = words.data, actions = board.able.get(thing.place) ?? [];
    const kinds = [...new Set(actions.map((action) => explanationOf(words.kernel.info, action)))].filter((kind) => kind in explanations);
    const told = [...new Set(kinds.length === 1 ? [names[0], kinds[0]] : names)];
    const listed = actions.slice(0, SOME).map((action) => h("p", { class: "soft" }, "→ ", board.game.text(action)));
    const more = actions.length - listed.length;
    const texts = [...told.map((name) => sentence(titles[name], explanations[name])), listed, more > 0 && h("p", { class: "soft" }, `and ${more} more`)];
    const { x, y, w, h: height } = thing.box;
    const [from, to] = [new DOMPoint(x, y), new DOMPoint(x + w, y + height)].map((point) => point.matrixTransform(matrix));
    this.bubble.show(texts, { left: from.x, top: from.y, right: to.x, bottom: to.y }, board.element.querySelector(`[data-number="${thing.place}"]`));
  }
}
