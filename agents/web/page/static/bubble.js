/** A bubble that explains something, beside it. @module */
import { h, put, replace } from "./dom.js";
import { capital } from "./words.js";

/** Milliseconds until what is pointed at, or pressed on a touch screen, is explained. */
export const PATIENCE = 450, PRESS = 500;
/** Pixels between the bubble and what it explains, and between it and the edge. */
const [BESIDE, EDGE] = [8, 4];

/** An explanation with the name of what it explains. @param {string} title @param {string} text */
export const sentence = (title, text) => h("p", {}, h("strong", {}, capital(title)), ": ", document.createTextNode(text));

export class Bubble {
  /** @param {string} id */
  constructor(id) {
    this.element = h("div", { class: "tip card small", role: "tooltip", id, hidden: true });
    /** What is described by it. @type {Element | null} */
    this.described = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.escaped = (/** @type {KeyboardEvent} */ { key }) => key === "Escape" && this.hide();
  }

  /** Call something that shows an explanation later, unless another is asked for before. @param {() => void} show @param {number} patience */
  wait(show, patience) {
    this.hide();
    this.timer = setTimeout(show, patience);
  }

  /**
   * Show texts above a box of the window, or below where there is no space.
   * @param {any[]} texts @param {{left: number, top: number, right: number, bottom: number}} box @param {Element | null} described
   * @param {boolean} [beside] rather to the left of the box, where there is space: in a list others lie above it
   */
  show(texts, { left, top, right, bottom }, described, beside = false) {
    const { element } = this;
    replace(element, texts);
    element.hidden = false;
    document.addEventListener("keydown", this.escaped);
    this.described = described;
    described?.setAttribute("aria-describedby", element.id);
    const { offsetWidth: wide, offsetHeight: high } = element, above = top - high - BESIDE, before = left - wide - BESIDE;
    if (beside && before > EDGE) put(element, before, top);
    else put(element, (left + right - wide) / 2, above > EDGE ? above : bottom + BESIDE);
  }

  hide() {
    clearTimeout(this.timer);
    this.element.hidden = true;
    document.removeEventListener("keydown", this.escaped);
    this.described?.removeAttribute("aria-describedby");
    this.described = null;
  }
}
