/** The mark of a seat: the shape that it has on all boards, and its number. @module */
import { h, s } from "./dom.js";

/** Shapes by seat, those of `core/drawing/tabletop.py`. */
const SHAPES = [
  "M12 1a11 11 0 1 0 .01 0z",
  "M2 2h20v20H2z",
  "M12 0L24 23H0z",
  "M12 0L24 12L12 24L0 12z",
  "M12 0L24 9.5L19.5 23.5h-15L0 9.5z",
  "M6 0h12v6h6v12h-6v6H6v-6H0V6h6z",
];
/** Baselines of the numbers; triangle and pentagon are wide further down. */
const [MIDDLE, LOWER] = [16.8, 19.5];

/** @param {number} seat @param {Record<string, any>} [attributes] */
export function seatmark(seat, attributes = {}) {
  const y = seat === 2 || seat === 4 ? LOWER : MIDDLE;
  return h("span", { class: "seatmark", data: { seat }, ...attributes }, s("svg", { viewBox: "0 0 24 24", width: 24, height: 24 }, s("path", { d: SHAPES[seat % SHAPES.length] }), s("text", { x: 12, y, "text-anchor": "middle" }, seat)));
}
