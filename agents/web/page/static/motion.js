/** What moved on the board, shown briefly; not for those who have asked their system for less motion. @module */
import { COLUMNS, H, KIND, NUMBER, PLACE, STYLE, TEXT, W, X, Y, starts } from "./drawing.js";

/** Milliseconds, the most shapes that change in one step, and the least way of a move in units. */
const [LASTS, MOST, LEAST] = [320, 120, 4];
const EASE = "cubic-bezier(0.2, 0, 0, 1)";
/** Parts of the board are farther apart on the plane. */
const FAR = 5000;

/** Whether less motion is asked for. */
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const whole = (/** @type {Int32Array} */ rows, /** @type {number} */ at) => rows.slice(at, at + PLACE).join();
const look = (/** @type {Int32Array} */ rows, /** @type {number} */ at) => [KIND, STYLE, TEXT, NUMBER, W, H].map((column) => rows[at + column]).join();

/**
 * The shapes that have come, and from where: for those that look like exactly one that is gone.
 * @param {Int32Array} before @param {Int32Array} after @returns {Map<number, number | null>} rows of `after`, by where they begin, with those of `before`
 */
export function moves(before, after) {
  const [old, now] = [before, after].map((rows) => new Map(starts(rows).map((at) => [whole(rows, at), at])));
  const gone = [...old].filter(([key]) => !now.has(key)).map(([, at]) => at), come = [...now].filter(([key]) => !old.has(key)).map(([, at]) => at);
  const alike = (/** @type {Int32Array} */ rows, /** @type {number[]} */ some, /** @type {string} */ as) => some.filter((at) => look(rows, at) === as);
  return new Map(come.map((at) => {
    const as = look(after, at), from = alike(before, gone, as);
    return [at, from.length === 1 && alike(after, come, as).length === 1 ? from[0] : null];
  }));
}

/**
 * Let the changes between two drawings be seen.
 * @param {{rows: Int32Array, now: Int32Array}} before its rows, and where they were arranged @param {{rows: Int32Array, now: Int32Array}} after
 * @param {(row: number) => Element | null} elementOf a row by its number
 */
export function show(before, after, elementOf) {
  if (isStill()) return;
  const changes = moves(before.rows, after.rows);
  if (changes.size > MOST) return;
  for (const [at, from] of changes) {
    const element = elementOf(at / COLUMNS);
    if (!element?.animate) continue;
    const [dx, dy] = from === null ? [0, 0] : [before.now[from + X] - after.now[at + X], before.now[from + Y] - after.now[at + Y]];
    const way = Math.hypot(dx, dy), isMove = way > LEAST && way < FAR;
    element.animate(isMove ? [{ translate: `${dx}px ${dy}px` }, { translate: "0px 0px" }] : [{ opacity: 0 }, {}], { duration: LASTS, easing: EASE });
  }
}
