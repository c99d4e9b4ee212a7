/** Rows of a drawing as SVG elements, and texts that fit into their boxes. @module */
import { s } from "./dom.js";
import { CENTRED, ELLIPSE, H, KIND, LEFT, RECT, STYLE, SYMBOL, TEXT, W, X, Y, stringOf, widthOf } from "./drawing.js";

/** Units of the grid on which symbols are drawn. */
const GRID = 24;
/** Letters get at most that much narrower, and no lower than that many units. */
const [NARROWEST, LOWEST] = [0.86, 13];

/**
 * A text that fits: narrower letters, then smaller ones, then fewer.
 * @param {import("./data.d.ts").Drawing} drawing @param {string} text @param {number} size @param {boolean} bold @param {number} width 0 for any
 * @returns {{text: string, size: number, length: number | null}} the length that it is squeezed to, null for its own
 */
export function fitted(drawing, text, size, bold, width) {
  const wide = (/** @type {string} */ one, /** @type {number} */ high) => widthOf(drawing, one, high, bold);
  if (width <= 0 || wide(text, size) <= width) return { text, size, length: null };
  const smaller = Math.max(Math.min(size, LOWEST), Math.min(size, (size * width) / (NARROWEST * wide(text, size))));
  if (wide(text, smaller) * NARROWEST <= width + 0.01) return { text, size: smaller, length: width };
  let left = text.length - 1;
  while (left > 1 && wide(`${text.slice(0, left).trimEnd()}.`, smaller) * NARROWEST > width) left -= 1;
  const short = `${text.slice(0, left).trimEnd()}.`;
  return { text: short, size: smaller, length: Math.min(width, wide(short, smaller)) };
}

/** One row as an element. @param {import("./data.d.ts").Drawing} drawing @param {Int32Array} rows @param {number} at @returns {SVGElement} */
export function shape(drawing, rows, at) {
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
  const kind = rows[at + KIND], whole = stringOf(drawing, rows, at);
  const [anchor, left] = kind === CENTRED ? ["middle", x + width / 2] : kind === LEFT ? ["start", x] : ["end", x + width];
  const { text, size, length } = fitted(drawing, whole, height, style.bold, width);
  const fit = length === null ? {} : { textLength: length, lengthAdjust: "spacingAndGlyphs" };
  const baseline = y + (height - size) / 2 + (size * drawing.font.baseline) / 1000;
  const short = text === whole ? {} : { "aria-label": whole };
  return s("text", { x: left, y: baseline, "font-size": size, "text-anchor": anchor, ...fit, ...short, ...common }, text);
}
