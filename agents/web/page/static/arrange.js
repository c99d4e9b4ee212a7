/**
 * The parts of a drawing, and their arrangement on a screen.
 *
 * A draw list fills a canvas: from the top the prompt, what all share, and a panel for each seat.  The parts are found
 * by the gaps between shapes.  Panels are laid out again for the width they get: the signs that do not fit on a line go
 * below it.  All parts lie on one plane, on which each part has a window.
 * @module
 */
import { COLUMNS, H, KIND, LEFT, RECT, RIGHT, STYLE, SYMBOL, TEXT, W, X, Y, boxOf, starts, stringOf, widthOf } from "./drawing.js";

/** @typedef {import("./drawing.js").Box} Box */
/** @typedef {{box: Box, rows: number[]}} Group rows (by where they begin) and the box around them */

/** Between the windows of two parts on the plane. */
export const APART = 100_000;
/** Around the contents of a panel, and between its lines. */
const [EDGE, GAP] = [8, 6];
/** Lines of the contents of a panel keep at most this distance from sign to sign. */
const WIDEST_GAP = 14;
/** A text belongs to the sign that is so near to its left. */
const NEAR = 12;
/** A rectangle of that part of the canvas is its background. */
const BACKGROUND = 0.8;
/** The first rows of a panel, among which is the mark of its seat. */
const FIRST = 8;

const right = (/** @type {Box} */ box) => box.x + box.w;
const bottom = (/** @type {Box} */ box) => box.y + box.h;

/** @param {Box} a @param {Box} b @returns {Box} */
function around(a, b) {
  const x = Math.min(a.x, b.x), y = Math.min(a.y, b.y);
  return { x, y, w: Math.max(right(a), right(b)) - x, h: Math.max(bottom(a), bottom(b)) - y };
}

/** What a row covers: texts are as wide as their letters. @param {import("./data.d.ts").Drawing} drawing @param {Int32Array} rows @param {number} at @returns {Box} */
export function inked(drawing, rows, at) {
  const box = boxOf(rows, at), kind = rows[at + KIND];
  if (kind <= SYMBOL) return box;
  const natural = widthOf(drawing, stringOf(drawing, rows, at), box.h, drawing.styles[rows[at + STYLE]].bold);
  const w = box.w > 0 ? Math.min(box.w, Math.ceil(natural)) : Math.ceil(natural);
  const x = kind === LEFT ? box.x : kind === RIGHT ? right(box) - w : box.x + Math.floor((box.w - w) / 2);
  return { ...box, x, w };
}

/**
 * Groups of rows without a gap along one axis.
 * @param {Group[]} some @param {(box: Box) => number} from @param {(box: Box) => number} to
 * @param {(before: Group, next: Group) => boolean} [joins] whether a row belongs to the group before it despite a gap
 * @returns {Group[]}
 */
function split(some, from, to, joins = () => false) {
  /** @type {Group[]} */
  const found = [];
  for (const one of [...some].sort((a, b) => from(a.box) - from(b.box))) {
    const last = found.at(-1);
    if (last && (from(one.box) < to(last.box) || joins(last, one))) {
      last.box = around(last.box, one.box);
      last.rows.push(...one.rows);
    } else found.push({ box: one.box, rows: [...one.rows] });
  }
  return found;
}

const lines = (/** @type {Group[]} */ some) => split(some, (box) => box.y, bottom);
const columns = (/** @type {Group[]} */ some) => split(some, (box) => box.x, right);

/**
 * The parts of a drawing.
 * @param {import("./data.d.ts").Drawing} drawing @param {Int32Array} rows @param {number} players
 * @returns {{prompt: Group | null, shared: Group, seats: Group[]}} without seats where no panels are found
 */
export function partsOf(drawing, rows, players) {
  const [width, height] = drawing.sizes[players];
  const all = starts(rows).map((at) => ({ box: boxOf(rows, at), rows: [at] })).filter(({ box }) => box.w * box.h < BACKGROUND * width * height);
  const bands = lines(all);
  const cells = bands.flatMap((band) => columns(band.rows.map((at) => ({ box: boxOf(rows, at), rows: [at] }))));
  const ends = cells.slice(-players), isOf = (/** @type {Group} */ cell, /** @type {number} */ seat) => {
    const first = cell.rows.sort((a, b) => a - b).slice(0, FIRST);
    return rows[first[0] + KIND] === RECT && first.some((at) => rows[at + KIND] === SYMBOL && drawing.symbols[rows[at + TEXT]].name === `seat_${seat}`);
  };
  const seats = cells.length > players && ends.every(isOf) ? ends : [], of = new Set(seats.flatMap((one) => one.rows));
  const others = bands.filter((band) => !band.rows.some((at) => of.has(at)));
  const head = headOf(drawing, rows, others);
  const whole = (/** @type {Group[]} */ some) => ({ box: some.map((one) => one.box).reduce(around), rows: some.flatMap((one) => one.rows) });
  const rest = starts(rows).filter((at) => !of.has(at) && !head.some((band) => band.rows.includes(at)));
  const below = others.slice(head.length), top = head.length ? Math.floor((bottom(head[head.length - 1].box) + below[0].box.y) / 2) : 0;
  const floor = seats.length ? Math.floor((bottom(whole(below).box) + Math.min(...seats.map(({ box }) => box.y))) / 2) : height;
  return {
    prompt: head.length ? { box: { x: 0, y: 0, w: width, h: top }, rows: whole(head).rows.sort((a, b) => a - b) } : null,
    shared: { box: { x: 0, y: top, w: width, h: floor - top }, rows: rest },
    seats,
  };
}

/** The bands of the prompt: the first one, and a question in an area below it. @param {import("./data.d.ts").Drawing} drawing @param {Int32Array} rows @param {Group[]} bands */
function headOf(drawing, rows, bands) {
  if (bands.length < 3) return [];
  const first = Math.min(...bands[1].rows), box = boxOf(rows, first);
  const asks = rows[first + KIND] === RECT && drawing.styles[rows[first + STYLE]].name === "area" && box.w === bands[1].box.w;
  return bands.slice(0, asks ? 2 : 1);
}

/**
 * A panel laid out for a width.
 * @param {import("./data.d.ts").Drawing} drawing @param {Int32Array} rows @param {Group} panel @param {number} width available
 * @returns {{moves: Map<number, Box>, height: number, head: number}} new boxes of its rows but the frame, from the left top; the height, and that of its first line
 */
export function flow(drawing, rows, panel, width) {
  const { box } = panel, inner = panel.rows.slice(1);
  const bands = lines(inner.map((at) => ({ box: boxOf(rows, at), rows: [at] })));
  /** @type {Map<number, Box>} */
  const moves = new Map();
  const put = (/** @type {Group} */ one, /** @type {number} */ dx, /** @type {number} */ dy) => one.rows.forEach((at) => {
    const { x, y, w, h } = boxOf(rows, at);
    moves.set(at, { x: x + dx, y: y + dy, w, h });
  });
  const edge = bands.length ? bands[0].box.y - box.y : 0;
  let height = box.h, head = bands.length ? bottom(bands[0].box) - box.y + edge : box.h;
  if (width >= 2 * box.w && bands.length > 1) {
    // Half of it beside the other half.
    const half = bands.findIndex((band, i) => i > 0 && band.box.y - box.y > box.h / 2 - edge), cut = half < 0 ? bands.length : half;
    const up = cut < bands.length ? bands[cut].box.y - bands[0].box.y : 0;
    bands.forEach((band, i) => put(band, i < cut ? -box.x : box.w - box.x, -box.y - (i < cut ? 0 : up)));
    height = 2 * edge + Math.max(bottom(bands[cut - 1].box) - bands[0].box.y, cut < bands.length ? bottom(bands[bands.length - 1].box) - bands[cut].box.y : 0);
  } else if (width >= box.w) {
    bands.forEach((band) => put(band, -box.x, -box.y));
    if (bands.length) height = bottom(bands[bands.length - 1].box) - box.y + edge;
  } else {
    height = edge;
    bands.forEach((band, i) => {
      const { end, line } = wrapped(drawing, rows, band, EDGE, height, width - EDGE, put, moves);
      if (!i) head = line + edge;
      height = end + GAP;
    });
    height += edge - GAP;
  }
  return { moves, height, head };
}

/**
 * Put the signs of a band side by side, and below each other where the line ends.
 * @param {import("./data.d.ts").Drawing} drawing @param {Int32Array} rows @param {Group} band @param {number} left @param {number} top @param {number} end right edge
 * @param {(one: Group, dx: number, dy: number) => void} put @param {Map<number, Box>} moves
 * @returns {{end: number, line: number}} the lower edge, and that of the first line
 */
function wrapped(drawing, rows, band, left, top, end, put, moves) {
  const near = (/** @type {Group} */ last, /** @type {Group} */ one) => rows[one.rows[0] + KIND] === LEFT && one.box.x - right(last.box) <= NEAR;
  const ink = [...band.rows].sort((a, b) => a - b).map((at) => ({ box: inked(drawing, rows, at), rows: [at] }));
  let x = left, y = top, high = 0, first = 0, was = -Infinity;
  const next = () => {
    first ||= y + high;
    [x, y, high] = [left, y + high + (high ? GAP : 0), 0];
  };
  for (const sign of split(ink, (box) => box.x, right, near)) {
    const gap = x > left ? Math.min(WIDEST_GAP, Math.max(0, sign.box.x - was)) : 0;
    was = right(sign.box);
    if (x > left && x + gap + sign.box.w > end) next();
    else x += gap;
    const frame = sign.rows.find((at) => rows[at + KIND] === RECT && rows[at + W] >= sign.box.w && sign.rows.length > 1);
    if (sign.box.w > end - left && frame !== undefined) {
      // A frame around more than a line holds.
      const within = { box: sign.box, rows: sign.rows.filter((at) => at !== frame) };
      const found = wrapped(drawing, rows, within, left + GAP, y + GAP / 2, end - GAP, put, moves);
      moves.set(frame, { x: left, y, w: end - left, h: found.end + GAP / 2 - y });
      high = found.end + GAP / 2 - y;
      x = end;
      continue;
    }
    put(sign, x - sign.box.x, y - band.box.y);
    x += sign.box.w;
    high = Math.max(high, bottom(sign.box) - band.box.y);
  }
  return { end: y + high, line: first || y + high };
}

/** Rows at other places. @param {Int32Array} rows @param {Map<number, Box>} moves @returns {Int32Array} */
export function moved(rows, moves) {
  const copy = rows.slice();
  for (const [at, { x, y, w, h }] of moves) [copy[at + X], copy[at + Y], copy[at + W], copy[at + H]] = [x, y, w, h];
  return copy;
}

/** Where a row of another position would be: it moves like the smallest shape around it, or else like its part. @param {Int32Array} row @param {Int32Array} rows before @param {Int32Array} now their arrangement @returns {Int32Array} */
export function follow(row, rows, now) {
  const x = row[X] + row[W] / 2, y = row[Y] + row[H] / 2;
  let best = -1, least = Infinity;
  for (let at = 0; at < rows.length; at += COLUMNS) {
    const [left, top, w, h] = [rows[at + X], rows[at + Y], rows[at + W], rows[at + H]];
    if (x < left || y < top || x > left + w || y > top + h || w * h >= least) continue;
    [best, least] = [at, w * h];
  }
  const copy = row.slice();
  if (best >= 0) {
    copy[X] += now[best + X] - rows[best + X];
    copy[Y] += now[best + Y] - rows[best + Y];
  }
  return copy;
}
