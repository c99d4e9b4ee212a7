/** The board: windows on its parts, arranged for the screen, and the places that can be clicked. @module */
import { spoken } from "./actions.js";
import { APART, flow, follow, inked, moved, partsOf } from "./arrange.js";
import { button, focusQuietly, focusedOf, h, isUnfocused, put, replace, s, whenFocused } from "./dom.js";
import { COLUMNS, KIND, PLACE, RECT, actionsAt, boxOf, certain, changed, placesOf } from "./drawing.js";
import { show as animate } from "./motion.js";
import { Part } from "./part.js";
import { decimal, say } from "./say.js";
import { shape } from "./shape.js";
import { Tip } from "./tip.js";
import { Zoom } from "./zoom.js";

/** From that width of the table on, in pixels, the board stands beside the actions, and from the next one the seats beside it. */
const [DESK, WIDE] = [900, 1640];
/** Pixels a unit: a panel is laid out again below the first, takes two columns from the second on, and is then that large, on a phone and elsewhere. */
const [FITS, COLUMN, SMALL, PANEL] = [0.76, 0.85, 0.8, 0.86];
/** A rectangle of that part of a drawing is no piece of it. */
const PIECE = 1 / 60;
/** Pixels beside a panel for the button that folds it. */
const FOLD = 44;
const CHEVRON = "M6 9l6 6 6-6";

/** An action that is marked: a text, and classes. @typedef {{action: number, text: string, kind: string}} Mark */

/**
 * @typedef {object} How
 * @property {number} viewer the viewing seat, -1 for the whole state
 * @property {number[]} [actions] to offer
 * @property {Uint8Array | null} [before] the state to compare with
 * @property {(action: number) => string} [effects] what actions do
 * @property {(action: number) => Uint8Array[]} [after] states that may follow from one
 * @property {import("./words.js").Words | null} [words] of explanations
 * @property {((place: number) => void) | null} [asked] called for a place without actions
 */

export class Board {
  /**
   * @param {import("./games.js").Game} game
   * @param {(action: number) => void} chosen
   */
  constructor(game, chosen) {
    this.game = game;
    this.drawing = game.manifest.common.drawing;
    this.chosen = chosen;
    this.menu = h("div", { class: "menu card", hidden: true, role: "group" });
    this.prompt = new Part(this.drawing, "The question");
    this.shared = new Part(this.drawing, "The board");
    // All of them may scroll, so the keyboard reaches them.
    const region = (/** @type {string} */ name, /** @type {string} */ label) => h("div", { class: name, tabindex: "0", role: "region", "aria-label": label });
    this.pane = region("pane", "The board");
    this.own = region("own", "Your seat");
    this.others = region("others", "The other seats");
    /** The panels of seats. @type {Map<number, {part: Part, element: HTMLElement, fold: HTMLButtonElement}>} */
    this.panels = new Map();
    /** The seats that were opened or folded by hand. @type {Map<number, boolean>} */
    this.unfolded = new Map();
    this.zoom = new Zoom(this.pane, () => this.zoomChanged());
    this.zoomed = button("Larger", () => this.zoom.step(), { class: "quiet", title: "The size of the board" });
    this.element = h("div", { class: `frame board-${this.drawing?.name}` });
    this.tip = new Tip(this);
    this.element.append(this.pane, this.own, this.others, this.menu, this.tip.element);
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape" && !this.menu.hidden) this.close(true);
    });
    for (const scrolls of [this.pane, this.own, this.others]) scrolls.addEventListener("scroll", () => this.scrolled());
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
    /** @type {Element | null} */
    this.opener = null;
    /** Where who plays by keyboard was when there was nothing left to choose: the name of a place. @type {string | null} */
    this.awaited = null;
    /** What is shown, to be shown again at another width. @type {[import("./kernel.js").Kernel, Uint8Array, How] | null} */
    this.shown = null;
    /** The rows that are drawn, and where. @type {{rows: Int32Array, now: Int32Array, viewer: number} | null} */
    this.drawn = null;
    /** Marks of actions on the board. @type {Mark[]} */
    this.marks = [];
    /** The widths for which it is arranged. */
    this.widths = "";
    this.mode = "";
    const resized = new ResizeObserver(() => this.resized());
    resized.observe(this.pane);
    resized.observe(this.own);
  }

  /** All windows that are shown. */
  get parts() {
    return [this.prompt, this.shared, ...[...this.panels.values()].map(({ part }) => part)];
  }

  /** The window in which the middle of a box is. @param {import("./drawing.js").Box} box @returns {Part} */
  partOf(box) {
    return this.parts.find((part) => part.holds(box)) ?? this.shared;
  }

  scrolled() {
    // A focus scrolls as well, and is explained after it.
    if (!this.tip.element.hidden) this.tip.hide();
    this.close(false);
  }

  /** Where the parts stand: "phone", "desk" or "wide". */
  place() {
    const table = this.element.parentElement, width = table?.clientWidth || Math.min(innerWidth - 32, 2000);
    const mode = width < DESK ? "phone" : width < WIDE ? "desk" : "wide";
    if (mode === this.mode) return;
    this.mode = mode;
    if (table) table.dataset.mode = mode;
    if (mode === "phone") this.pane.replaceChildren(this.prompt.svg, this.shared.svg);
    else this.pane.replaceChildren(h("div", { class: "prompt" }, this.prompt.svg), this.shared.svg);
    (mode === "desk" ? this.pane : this.element).append(this.others);
  }

  /** Arrange the board for its new width. */
  resized() {
    if (!this.shown) return;
    const { mode } = this;
    // A window that has become narrow leaves the pane no width until the parts stand elsewhere.
    this.place();
    if (this.pane.clientWidth && (this.measure() !== this.widths || mode !== this.mode)) this.draw(false);
  }

  /** The widths of pane and panels, in pixels. */
  measure() {
    return [this.pane, this.own, this.others].map((one) => Math.floor(one.clientWidth)).join();
  }

  /** Draws a position. @param {import("./kernel.js").Kernel} kernel @param {Uint8Array} state @param {How} how */
  show(kernel, state, how) {
    this.element.hidden = !this.drawing;
    this.place();
    if (!this.drawing) return;
    this.shown = [kernel, state, how];
    this.draw(true);
  }

  /** @param {boolean} moves whether changes are animated */
  draw(moves) {
    const { drawing, shown } = this;
    if (!shown) return;
    const [kernel, state, { viewer, actions = [], before = null, effects = () => "", after = () => [], words = null, asked = null }] = shown;
    const rows = kernel.rows(state, viewer), [width, height] = drawing.sizes[kernel.players], whole = width * height;
    const active = focusedOf(this.element), focused = this.element.contains(active) && !this.menu.contains(active) ? /** @type {any} */ (active) : null;
    if (focused?.matches(".spot")) this.awaited = focused.dataset.place ?? "";
    else if (!focused && !isUnfocused(active) && !this.menu.contains(active)) this.awaited = null;
    this.close(false);
    this.effects = effects;
    this.words = words;
    const able = actionsAt(drawing, placesOf(rows), actions);
    this.able = able;
    const now = this.arrange(rows, kernel.players, viewer, kernel.mover(state));
    this.tip.draw(words, now, whole);
    this.following = (action) => {
      const seat = viewer < 0 ? kernel.mover(state) : viewer;
      const found = certain(kernel.rows(state, seat), after(action).map((one) => kernel.rows(one, seat)));
      const isPiece = (/** @type {Int32Array} */ some, /** @type {number} */ at) => some[at + KIND] !== RECT || boxOf(some, at).w * boxOf(some, at).h < PIECE * whole;
      const isAsked = (/** @type {Int32Array} */ row) => this.prompt.holds(boxOf(row, 0));
      const come = found.come.filter((row) => isPiece(row, 0) && !isAsked(row)).map((row) => follow(row, rows, now));
      return { come, go: found.go.filter((row) => isPiece(rows, row * COLUMNS) && !isAsked(rows.slice(row * COLUMNS))) };
    };
    const old = before && changed(kernel.rows(before, viewer), rows, whole, (row) => inked(drawing, follow(row, rows, now), 0));
    const places = placesOf(now);
    for (const part of this.parts) {
      // The prompt is another one after each step.
      replace(part.news, (old || []).filter((box) => part !== this.prompt && part.holds(box)).map((box) => this.outline(box, "new")));
      replace(part.ghost);
      replace(part.places, this.spots(new Map([...places].filter(([, box]) => part.holds(box))), able, asked));
    }
    const last = this.drawn;
    this.drawn = { rows, now, viewer };
    this.mark(this.marks);
    if (moves && last && last.viewer === viewer) animate(last, this.drawn, (row) => this.element.querySelector(`.shapes > [data-row="${row}"]`));
    if (this.awaited !== null && able.size) {
      this.refocus(this.awaited);
      this.awaited = null;
    }
  }

  /** Draw all parts at the places for this screen; return the rows as they are arranged. @param {Int32Array} rows @param {number} players @param {number} viewer @param {number} mover */
  arrange(rows, players, viewer, mover) {
    const { prompt, shared, seats } = partsOf(this.drawing, rows, players), [, own, others] = (this.widths = this.measure()).split(",").map(Number);
    const canvas = this.drawing.sizes[players][0], isPhone = this.mode === "phone";
    /** @type {Map<number, import("./drawing.js").Box>} */
    const moves = new Map();
    const windows = seats.map((panel, seat) => {
      const isOwn = seat === viewer, hasChoice = panel.rows.some((at) => this.able.has(rows[at + PLACE]));
      const isOpen = isOwn || hasChoice || (this.unfolded.get(seat) ?? (viewer < 0 || this.mode === "wide"));
      const room = isOwn ? own : (others || own) - FOLD, pixels = room > 0 ? room : canvas, { w } = panel.box;
      const units = pixels / (2 * w) >= COLUMN ? 2 * w : pixels / w >= (isPhone ? FITS : COLUMN) ? Math.max(w, Math.floor(pixels)) : Math.floor(pixels / (isPhone ? SMALL : PANEL));
      const laid = flow(this.drawing, rows, panel, units), top = APART * (seat + 1);
      const high = isOpen ? laid.height : laid.head;
      for (const [at, box] of laid.moves) moves.set(at, { ...box, y: box.y + top });
      moves.set(panel.rows[0], { x: 1, y: top + 1, w: units - 2, h: high - 2 });
      return { panel, box: { x: 0, y: top, w: units, h: high }, isOwn, isOpen, hasChoice };
    });
    const now = moved(rows, moves);
    this.prompt.svg.toggleAttribute("hidden", !prompt);
    this.prompt.draw(now, prompt?.rows ?? [], prompt?.box ?? { x: 0, y: 0, w: 0, h: 0 });
    this.shared.draw(now, shared.rows, shared.box);
    // What gets the focus is not hidden by the prompt above it.
    this.pane.style.scrollPaddingTop = isPhone ? "" : `${this.prompt.svg.clientHeight + 8}px`;
    windows.forEach(({ panel, box, isOwn, isOpen, hasChoice }, seat) => {
      const { part, element, fold } = this.panel(seat);
      part.draw(now, panel.rows, box);
      element.classList.toggle("mine", isOwn);
      element.classList.toggle("folded", !isOpen);
      element.toggleAttribute("data-now", seat === mover);
      fold.hidden = isOwn || hasChoice;
      fold.setAttribute("aria-expanded", String(isOpen));
    });
    const panels = seats.map((_, seat) => this.panel(seat).element);
    replace(this.own, panels[viewer]);
    // The next ones first, as they will play.
    replace(this.others, panels.map((_, i) => panels[(Math.max(viewer, 0) + i) % players]).filter((one) => one !== panels[viewer]));
    this.own.hidden = !panels[viewer];
    this.others.hidden = !this.others.childElementCount;
    return now;
  }

  /** The panel of a seat, with the button that folds it. @param {number} seat */
  panel(seat) {
    const known = this.panels.get(seat);
    if (known) return known;
    const part = new Part(this.drawing, `Player ${seat}`);
    const toggle = () => {
      this.unfolded.set(seat, element.classList.contains("folded"));
      this.draw(false);
    };
    const fold = button(s("svg", { class: "chevron", viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" }, s("path", { d: CHEVRON })), toggle, { class: "quiet fold", "aria-label": `Panel of player ${seat}` });
    const element = h("section", { class: "panel", data: { panel: seat } }, part.svg, fold);
    part.svg.addEventListener("click", (/** @type {Event} */ { target }) => {
      if (!fold.hidden && !(/** @type {Element} */ (target).closest(".legal")) && (element.classList.contains("folded") || !(/** @type {Element} */ (target).closest(".spot")))) toggle();
    });
    const made = { part, element, fold };
    this.panels.set(seat, made);
    return made;
  }

  /** Who plays by keyboard stays on the board: at the same place, or the first one. @param {string} name */
  refocus(name) {
    const legal = /** @type {any[]} */ ([...this.element.querySelectorAll(".legal")]);
    focusQuietly(legal.find((one) => one.dataset.place === name) ?? legal[0]);
  }

  /** @param {import("./drawing.js").Box} box @param {string} kind */
  outline({ x, y, w, h: height }, kind) {
    return s("rect", { x: x - 2, y: y - 2, width: w + 4, height: height + 4, rx: 6, class: kind });
  }

  /** Mark actions at their places; of those at one place the first. @param {Mark[]} marks */
  mark(marks) {
    this.marks = marks;
    if (!this.drawn) return;
    const places = placesOf(this.drawn.now), at = [...actionsAt(this.drawing, places, marks.map(({ action }) => action))];
    const drawn = at.map(([place, [first]]) => ({ box: /** @type {import("./drawing.js").Box} */ (places.get(place)), mark: /** @type {Mark} */ (marks.find(({ action }) => action === first)) }));
    for (const part of this.parts) {
      replace(part.marks, drawn.filter(({ box }) => part.holds(box)).map(({ box, mark: { text, kind } }) => s("g", { class: kind }, this.outline(box, "mark"), s("text", { x: box.x + box.w / 2, y: Math.max(box.y + 4, part.box.y + 15), "text-anchor": "middle" }, text))));
    }
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
    for (const one of this.element.querySelectorAll(".spot.legal")) {
      const place = Number(/** @type {any} */ (one).dataset.number);
      one.classList.toggle("pointed", action !== null && (this.able.get(place) ?? []).includes(action));
    }
    const { come, go } = action === null ? { come: [], go: [] } : this.following(action), gone = new Set(go);
    for (const part of this.parts) replace(part.ghost, come.filter((row) => part.holds(boxOf(row, 0))).map((row) => shape(this.drawing, row, 0)));
    for (const one of this.element.querySelectorAll(".shapes > *")) one.toggleAttribute("data-leaving", gone.has(Number(/** @type {any} */ (one).dataset.row)));
  }

  /** One action is chosen at once, of several one is asked for. @param {Element} spot @param {number[]} actions */
  press(spot, actions) {
    if (actions.length === 1) {
      this.chosen(actions[0]);
      return;
    }
    this.tip.hide();
    this.opener = spot;
    const at = spot.getBoundingClientRect();
    const options = actions.map((action) => button(spoken(this.game, action, this.effects(action)), () => this.pick(action), { title: this.game.notation(action), data: { action } }));
    replace(this.menu, ...options, button("Cancel", () => this.close(true), { class: "quiet" }));
    this.menu.hidden = false;
    this.menu.setAttribute("aria-label", /** @type {any} */ (spot).dataset.called || say("Choices"));
    put(this.menu, at.left, at.bottom + 6);
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

  zoomChanged() {
    const { scale } = this.zoom;
    this.scrolled();
    this.pane.classList.toggle("larger", scale > 1);
    replace(this.zoomed, scale > 1 ? `${decimal(scale, 1, 0)} ×` : "Larger");
  }
}
