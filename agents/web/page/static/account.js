/** Skill and luck of every step of a game, in win shares; the definitions of `agents/review/review.py`. @module */
import { signed } from "./dom.js";
import { sharesOf } from "./evaluator.js";
import { decimal } from "./say.js";

/** Standard errors below which a loss is too close to call; a mistake costs more of a win; a step that costs so much more is worth nothing. */
const [CLOSE, MISTAKE, WORTHLESS] = [2, 0.05, 0.1];
/** Repeated estimates of a step in doubt; a choice that the network plays less often is in doubt at first. */
const [REPEATS, RARE] = [2, 0.02];

/** @param {number[]} values */
const sum = (values) => values.reduce((a, b) => a + b, 0);

/** The mean, and its standard error. @param {number[]} values @returns {{mean: number, error: number}} */
export function meanOf(values) {
  const mean = sum(values) / values.length, squares = sum(values.map((value) => (value - mean) ** 2));
  return { mean, error: Math.sqrt(squares / Math.max(1, values.length - 1) / values.length) };
}

/** A change of a win share with its standard error. @param {number} mean @param {number} error */
export const changeOf = (mean, error) => `${signed(100 * mean, 1)} ± ${decimal(100 * error)} %`;

/** Whether a difference is less than its uncertainty. @param {number} difference @param {number} error */
export const isClose = (difference, error) => Math.abs(difference) < CLOSE * error;

/** The number of the best of some actions in the samples from..to. @param {number[][]} values by action and sample @param {number} [from] @param {number} [to] */
export function bestOf(values, from, to) {
  const sums = values.map((some) => sum(some.slice(from, to)));
  return sums.indexOf(Math.max(...sums));
}

/** The value of the first action less that of the best one, which the other half of the samples selects. @param {number[][]} values by action and sample */
export function effectOf(values) {
  const size = values[0].length, middle = Math.ceil(size / 2), halves = [[0, middle], [middle, size]];
  const found = halves.map(([from, to], i) => {
    const best = values[bestOf(values, ...halves[1 - i])];
    return meanOf(values[0].slice(from, to).map((value, w) => value - best[from + w]));
  });
  return { skill: (found[0].mean + found[1].mean) / 2, error: Math.hypot(found[0].error, found[1].error) / 2 };
}

/**
 * @typedef {object} Step
 * @property {number} at
 * @property {number} seat the mover
 * @property {number} skill
 * @property {number} error its standard error
 * @property {boolean} close whether the loss is too close to call
 * @property {boolean} mistake
 * @property {number} best the best action
 * @property {import("./estimator.js").Compared} compared
 * @property {number} stage how often it was estimated again
 * @property {number[] | undefined} again actions of the next estimate, where the step is in doubt
 */

export class Account {
  /** @param {import("./line.js").Line} line of an ended game */
  constructor(line) {
    const { kernel, states, length } = line;
    this.players = kernel.players;
    this.actions = line.actions;
    this.movers = states.map((state) => kernel.mover(state));
    this.choices = line.actions.map((_, at) => kernel.legal(states[at]).length > 1);
    /** The values of all seats at every place, as its player to move estimates them. @type {(number[] | undefined)[]} */
    this.values = [];
    this.values[length] = sharesOf(kernel.places(states[length]));
    /** @type {(Step | undefined)[]} */
    this.steps = Array(length);
  }

  /** Add an estimate of a step; the last one counts. The best of all actions counts only in doubt, since it has the luckiest error. @param {number} at @param {import("./estimator.js").Compared} compared */
  add(at, compared) {
    const before = this.steps[at], stage = before ? before.stage + 1 : 0, { actions, shares, values } = compared, means = values.map((some) => sum(some));
    const own = shares.indexOf(Math.max(...shares)), others = actions.map((_, i) => i).slice(1).sort((a, b) => means[b] - means[a]);
    const whole = effectOf(values), mistake = whole.skill + whole.error < -MISTAKE, kept = mistake ? values : [...new Set([0, own])].map((i) => values[i]);
    const { skill, error } = effectOf(kept), close = isClose(skill, error), doubt = mistake || (!stage && shares[0] < RARE);
    const again = [...new Set([0, own, ...others.slice(0, Math.ceil(others.length / 2))])].map((i) => actions[i]);
    this.steps[at] = { at, seat: this.movers[at], skill, error, close, mistake: mistake && !close, best: actions[values.indexOf(kept[bestOf(kept)])], compared, stage, again: doubt && stage < REPEATS ? again : undefined };
  }

  /** The skill of a seat in a step. @param {number} at @param {number} seat */
  skill(at, seat) {
    return this.movers[at] === seat ? (this.steps[at]?.skill ?? 0) : 0;
  }

  /** Its luck in a step: every other change of its value. @param {number} at @param {number} seat */
  luck(at, seat) {
    const [before, after] = [this.values[at], this.values[at + 1]];
    return before && after ? after[seat] - before[seat] - this.skill(at, seat) : 0;
  }

  /** The place at which a seat decides next, or the end. @param {number} at @param {number} seat */
  nextOf(at, seat) {
    const next = this.movers.indexOf(seat, at + 1);
    return next < 0 ? this.actions.length : next;
  }

  /** Skill and luck of some steps, each until its player decides again, so that no seat's values show what others knew. @param {(at: number) => boolean} chosen @returns {import("./curve.js").Change[]} */
  changes(chosen) {
    return this.actions.flatMap((_, at) => {
      const seat = this.movers[at], until = this.nextOf(at, seat), from = this.values[at]?.[seat], to = this.values[until]?.[seat], step = this.steps[at];
      return from === undefined || to === undefined || !chosen(at) ? [] : [{ at, until, from, to, skill: step && !step.close ? Math.min(0, step.skill) : 0 }];
    });
  }

  /** The sums of a seat: start + skill + luck = result. @param {number} seat */
  seat(seat) {
    const places = this.actions.map((_, at) => at), own = /** @type {Step[]} */ (this.steps.filter((step) => step?.seat === seat));
    const losses = own.map(({ close, skill }) => (close ? 0 : Math.min(1, Math.max(0, -skill) / WORTHLESS)));
    return {
      start: this.values[0]?.[seat] ?? 0,
      skill: sum(places.map((at) => this.skill(at, seat))),
      error: Math.hypot(...own.map((step) => step.error)),
      luck: sum(places.map((at) => this.luck(at, seat))),
      result: this.values[places.length]?.[seat] ?? 0,
      accuracy: 1 - sum(losses) / Math.max(1, losses.length),
    };
  }

  /** The steps with the largest losses that are not too close to call. @param {number} [count] @returns {Step[]} */
  costliest(count = 5) {
    const lost = /** @type {Step[]} */ (this.steps.filter((step) => step && step.skill < 0 && !step.close && step.best !== this.actions[step.at]));
    return lost.sort((a, b) => a.skill - b.skill).slice(0, count);
  }
}
