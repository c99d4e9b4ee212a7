/** A window on a part of the board: its shapes, what is new, what would follow, and the places that can be clicked. @module */
import { replace, s } from "./dom.js";
import { shape } from "./shape.js";

/** @typedef {import("./drawing.js").Box} Box */

export class Part {
  /** @param {any} drawing @param {string} label */
  constructor(drawing, label) {
    this.drawing = drawing;
    this.shapes = s("g", { class: "shapes" });
    this.news = s("g", { class: "news" });
    this.ghost = s("g", { class: "ghost" });
    this.places = s("g", { class: "places" });
    this.marks = s("g", { class: "marks", "aria-hidden": "true" });
    this.svg = s("svg", { class: "board", role: "group", "aria-label": label }, this.shapes, this.news, this.ghost, this.marks, this.places);
    /** @type {Box} */
    this.box = { x: 0, y: 0, w: 0, h: 0 };
  }

  /** Whether the middle of a box is in the window. @param {Box} box */
  holds({ x, y, w, h }) {
    const { box } = this, [left, top] = [x + w / 2 - box.x, y + h / 2 - box.y];
    return left >= 0 && top >= 0 && left < box.w && top < box.h;
  }

  /** @param {Int32Array} rows as they are arranged @param {number[]} own where those of this part begin @param {Box} box */
  draw(rows, own, box) {
    this.box = box;
    this.svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.w} ${box.h}`);
    replace(this.shapes, own.map((at) => shape(this.drawing, rows, at)));
  }
}
