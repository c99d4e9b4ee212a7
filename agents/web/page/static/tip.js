/** Explanations of what is drawn: a place, a card or a symbol that is pointed at, focused, or pressed for long. @module */
import { h, replace } from "./dom.js";
import { KIND, RECT, SYMBOL, TEXT, boxOf, placesOf, starts, stringOf, widthOf } from "./drawing.js";
import { capital } from "./words.js";

/** Milliseconds until a place that is pointed at, or pressed on a touch screen, is explained. */
const [PATIENCE, PRESS] = [450, 500];
/** Pixels that a finger may move while it presses, units around small symbols, and the most explanations and actions at once. */
const [TREMBLE, AROUND, SOME] = [10, 4, 2];
/** The largest part of a board that is explained as one thing. */
const LARGEST = 1 / 6;

/** @typedef {import("./drawing.js").Box} Box */
/** @typedef {{box: Box, name: string | null, place: number}} Thing a part of the drawing: its component, its place or -1 */

const area = (/** @type {Box} */ box) => box.w * box.h;
const within = (/** @type {Box} */ box, /** @type {number} */ x, /** @type {number} */ y) => x >= box.x && y >= box.y && x <= box.x + box.w && y <= box.y + box.h;

export class Tip {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.element = h("div", { class: "tip card small", role: "tooltip", id: "tip", hidden: true });
    /** @type {import("./words.js").Words | null} */
    this.words = null;
    /** What is drawn, and texts with the name of a component. @type {Thing[]} */
    this.things = [];
    /** @type {Thing[]} */
    this.written = [];
    /** @type {Thing | null} */
    this.at = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
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
    const { drawing } = this.board, { places } = words.data;
    this.things = [...placesOf(rows)].map(([place, box]) => ({ box, name: places[drawing.places[place].name] ?? null, place }));
    this.written = [];
    for (const at of starts(rows)) {
      const kind = rows[at + KIND], box = boxOf(rows, at);
      if (kind === SYMBOL) this.things.push({ box: { x: box.x - AROUND, y: box.y - AROUND, w: box.w + 2 * AROUND, h: box.h + 2 * AROUND }, name: places[drawing.symbols[rows[at + TEXT]].name] ?? null, place: -1 });
      else if (kind === RECT) this.things.push({ box, name: null, place: -1 });
      else if (kind > SYMBOL) {
        const name = places[drawing.texts[rows[at + TEXT]]];
        if (!name) continue;
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
    const found = this.things.find((thing) => within(thing.box, x, y) && this.names(thing).length) ?? null;
    if (found !== this.at) this.wait(found, patience);
  }

  /** @param {Thing | null} thing @param {number} patience */
  wait(thing, patience) {
    this.hide();
    this.at = thing;
    if (thing) this.timer = setTimeout(() => this.show(thing), patience);
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
    clearTimeout(this.timer);
    this.at = null;
    this.element.hidden = true;
    this.board.element.querySelector("[aria-describedby]")?.removeAttribute("aria-describedby");
  }

  /** @param {Thing} thing */
  show(thing) {
    const { board, words } = this, names = this.names(thing);
    if (!words || !names.length || !board.menu.hidden) return;
    const { explanations, names: titles } = words.data, actions = board.able.get(thing.place) ?? [];
    const texts = names.map((name) => h("p", {}, h("strong", {}, capital(titles[name])), ": ", document.createTextNode(explanations[name])));
    const listed = actions.slice(0, SOME).map((action) => h("p", { class: "soft" }, "→ ", board.game.text(action)));
    const more = actions.length - listed.length;
    replace(this.element, texts, listed, more > 0 && h("p", { class: "soft" }, `and ${more} more`));
    this.element.hidden = false;
    board.element.querySelector(`[data-number="${thing.place}"]`)?.setAttribute("aria-describedby", this.element.id);
    this.place(thing.box);
  }

  /** Beside a box of the board: above it, or below where there is no space. @param {Box} box */
  place({ x, y, w, h: height }) {
    const { element, board } = this, matrix = board.partOf({ x, y, w, h: height }).svg.getScreenCTM();
    if (!matrix) return;
    const [from, to] = [new DOMPoint(x, y), new DOMPoint(x + w, y + height)].map((point) => point.matrixTransform(matrix));
    const above = from.y - element.offsetHeight - 8;
    board.put(element, (from.x + to.x) / 2 - element.offsetWidth / 2, above > 4 ? above : to.y + 8);
  }
}
