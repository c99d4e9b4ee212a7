/** The review of an ended game, computed in workers: coarse first, again to the end of the game where much may be lost. @module */
import { Account } from "./account.js";
import { Thinker, isStop } from "./thinker.js";

/** The chosen action against the network's first ones; those in doubt in other samples, by rollouts to the end, twice. */
export const EFFORTS = [
  { samples: 16, candidates: 2, plies: 16, seed: 0 },
  { samples: 48, candidates: 8, plies: 10_000, seed: 1 },
  { samples: 128, candidates: 8, plies: 10_000, seed: 2 },
];
/** Steps before the end of a typical game in which the network's values count for nothing. */
const LATE = 48;
/** Workers at most. */
const WORKERS = 2;

export class Reviewer {
  /**
   * @param {import("./line.js").Line} line of an ended game
   * @param {() => number} shown the place that is shown: it is next
   * @param {() => void} changed called with each result
   */
  constructor(line, shown, changed) {
    this.line = line;
    this.shown = shown;
    this.changed = changed;
    this.account = new Account(line);
    this.message = "";
    /** @type {Thinker[]} */
    this.crew = [];
    /** Places that are being compared. @type {Set<number>} */
    this.busy = new Set();
    /** The length of a typical game. */
    this.length = 0;
    this.stopped = new AbortController();
    this.isRunning = false;
  }

  /** How many choices are compared, and how many there are. @returns {[number, number]} */
  get progress() {
    const { choices, steps } = this.account, all = choices.flatMap((choice, at) => (choice ? [at] : []));
    return [all.filter((at) => steps[at]).length, all.length];
  }

  /** Begin, or resume. */
  async start() {
    if (this.isRunning) return;
    this.isRunning = true;
    this.message = "";
    const stopped = (this.stopped = new AbortController()), { account, line } = this, { kernel } = line;
    if (!this.crew.length) this.crew = Array.from({ length: Math.min(WORKERS, navigator.hardwareConcurrency || 1) }, () => new Thinker());
    const states = line.actions.map((_, at) => kernel.seen(line.states[at], line.mover(at)));
    const progress = (/** @type {{first: number, estimates: import("./insight.js").Estimate[]}} */ { first, estimates }) => {
      estimates.forEach(({ exact }, i) => (account.values[first + i] = exact));
    };
    try {
      const state = kernel.seen(kernel.start(1n), kernel.mover(kernel.start(1n)));
      this.length ||= (await this.crew[0].ask("compare", kernel, { ...EFFORTS[1], samples: 8, state }, { signal: stopped.signal })).length;
      if (account.values.includes(undefined)) await this.crew[0].ask("evaluate", kernel, { states }, { signal: stopped.signal, progress });
      await Promise.all(this.crew.map((thinker) => this.work(thinker)));
    } catch (error) {
      if (isStop(error)) return;
      this.message = /** @type {Error} */ (error).message;
    }
    this.isRunning = false;
    this.changed();
  }

  /** Compare until nothing is left. @param {Thinker} thinker */
  async work(thinker) {
    const { line, account, busy, stopped } = this;
    for (let at = this.next(); at !== undefined; at = this.next()) {
      const step = account.steps[at], effort = EFFORTS[step ? step.stage + 1 : 0], plies = at < this.length - LATE ? effort.plies : EFFORTS[1].plies;
      const details = { ...effort, plies, state: line.kernel.seen(line.states[at], line.mover(at)), chosen: line.actions[at], tried: step?.again };
      busy.add(at);
      account.add(at, await thinker.ask("compare", line.kernel, details, { signal: stopped.signal }));
      busy.delete(at);
      this.changed();
    }
  }

  /** The next step to compare: the shown one, those without a result, and those in doubt, the costliest first. @returns {number | undefined} */
  next() {
    const { account: { choices, steps }, busy } = this, shown = this.shown();
    const open = choices.flatMap((choice, at) => (choice && !busy.has(at) && (steps[at]?.again ?? !steps[at]) ? [at] : []));
    const loss = (/** @type {number} */ at) => steps[at]?.skill ?? -Infinity;
    return open.includes(shown) ? shown : open.sort((a, b) => loss(a) - loss(b) || a - b)[0];
  }

  /** Stop, and end the workers. */
  stop() {
    this.isRunning = false;
    this.stopped.abort();
    for (const thinker of this.crew) thinker.close();
    this.crew = [];
    this.busy.clear();
  }
}
