/**
 * The rows of a drawing, as its game's manifest describes them: nine numbers a shape.
 * @module
 */

export const COLUMNS = 9;
export const [KIND, X, Y, W, H, STYLE, TEXT, NUMBER, PLACE] = Array.from({ length: COLUMNS }, (_, i) => i);
export const [RECT, ELLIPSE, SYMBOL, CENTRED, LEFT, RIGHT] = [0, 1, 2, 3, 4, 5];

/** @typedef {{x: number, y: number, w: number, h: number}} Box */

/** @param {Int32Array} rows @param {number} at @returns {Box} */
export const boxOf = (rows, at) => ({ x: rows[at + X], y: rows[at + Y], w: rows[at + W], h: rows[at + H] });

/** The starts of all rows. @param {Int32Array} rows */
export const starts = (rows) => Array.from({ length: rows.length / COLUMNS }, (_, i) => i * COLUMNS);

/** The string of a row of text. @param {import("./data.d.ts").Drawing} drawing @param {Int32Array} rows @param {number} at @param {string[]} [texts] those of the drawing in another language */
export function stringOf(drawing, rows, at, texts = drawing.lettering ?? drawing.texts) {
  const text = rows[at + TEXT] < 0 ? "{}" : texts[rows[at + TEXT]];
  return rows[at + NUMBER] === drawing.none ? text.replace("{}", "") : text.replace("{}", String(rows[at + NUMBER]));
}

/** How wide a string is in the drawing's font. @param {import("./data.d.ts").Drawing} drawing @param {string} text @param {number} size @param {boolean} bold */
export function widthOf(drawing, text, size, bold) {
  const advances = bold ? drawing.font.bold_advances : drawing.font.advances;
  let sum = 0;
  for (const letter of text) sum += advances[letter] ?? advances[""];
  return (sum * size) / 1000;
}

/** Boxes of the places that are drawn, by place. @param {Int32Array} rows @returns {Map<number, Box>} */
export function placesOf(rows) {
  const found = new Map();
  for (const at of starts(rows)) if (rows[at + PLACE] >= 0) found.set(rows[at + PLACE], boxOf(rows, at));
  return found;
}

/**
 * Which actions may be clicked where: for each action the first of its places that is drawn.
 * @param {import("./data.d.ts").Drawing} drawing
 * @param {Map<number, Box>} places
 * @param {number[]} actions
 * @returns {Map<number, number[]>} actions by place
 */
export function actionsAt(drawing, places, actions) {
  const found = new Map();
  for (const action of actions) {
    const place = drawing.action_places[action].find((/** @type {number} */ one) => places.has(one));
    if (place !== undefined) found.set(place, [...(found.get(place) ?? []), action]);
  }
  return found;
}

/** Between boxes that touch. */
const GAP = 12;
const area = (/** @type {Box} */ box) => box.w * box.h;

/**
 * How a drawing certainly changes: the rows that come, in all of some later drawings, and the numbers of those that go, in none of them.
 * @param {Int32Array} before @param {Int32Array[]} afters @returns {{come: Int32Array[], go: number[]}}
 */
export function certain(before, afters) {
  const known = keys(before), later = afters.map(keys), [first] = later;
  if (!first) return { come: [], go: [] };
  const come = [...first].filter(([key]) => !known.has(key) && later.every((one) => one.has(key)));
  const go = [...known].filter(([key]) => !later.some((one) => one.has(key)));
  return { come: come.map(([, at]) => afters[0].slice(at, at + COLUMNS)), go: go.map(([, at]) => at / COLUMNS) };
}

/**
 * The fields that have changed: the smallest places around changed shapes, or the shapes themselves.
 * @param {Int32Array} before
 * @param {Int32Array} after
 * @param {number} whole area of the drawing; boxes that cover much of it are left out
 * @param {(row: Int32Array) => Box} arranged where a row of `after` is shown, or would be
 * @returns {Box[]}
 */
export function changed(before, after, whole, arranged) {
  const [old, now] = [keys(before), keys(after)];
  const places = [...placesOf(after).values()].filter((box) => area(box) < whole / 12).sort((a, b) => area(a) - area(b));
  /** @type {Map<string, Box>} */
  const fields = new Map(), pieces = new Map();
  for (const [rows, mine, others] of /** @type {const} */ ([[after, now, old], [before, old, now]])) {
    for (const [key, at] of mine) {
      if (others.has(key)) continue;
      const box = boxOf(rows, at), x = box.x + box.w / 2, y = box.y + box.h / 2;
      const around = places.find((one) => x >= one.x && x <= one.x + one.w && y >= one.y && y <= one.y + one.h);
      const shown = around ?? (rows === after && area(box) < whole / 50 ? box : null);
      if (!shown) continue;
      const row = rows.slice(at, at + COLUMNS);
      if (around) [row[KIND], row[X], row[Y], row[W], row[H]] = [RECT, around.x, around.y, around.w, around.h];
      (around ? fields : pieces).set([shown.x, shown.y, shown.w, shown.h].join(), arranged(row));
    }
  }
  return [...fields.values(), ...joined([...pieces.values()])];
}

/** Where each row begins, by its numbers; whether it can be clicked is no difference to the eye. @param {Int32Array} rows */
const keys = (rows) => new Map(starts(rows).map((at) => [rows.slice(at, at + PLACE).join(), at]));

/** Boxes that touch become one, as long as that covers little else. @param {Box[]} boxes @returns {Box[]} */
function joined(boxes) {
  for (let i = 0; i < boxes.length; i += 1) {
    for (let j = i + 1; j < boxes.length; j += 1) {
      const [a, b] = [boxes[i], boxes[j]];
      const x = Math.min(a.x, b.x), y = Math.min(a.y, b.y);
      const both = { x, y, w: Math.max(a.x + a.w, b.x + b.w) - x, h: Math.max(a.y + a.h, b.y + b.h) - y };
      if (both.w > a.w + b.w + GAP || both.h > a.h + b.h + GAP || area(both) > 1.25 * (area(a) + area(b))) continue;
      return joined([...boxes.slice(0, i), ...boxes.slice(i + 1, j), ...boxes.slice(j + 1), both]);
    }
  }
  return boxes;
}
