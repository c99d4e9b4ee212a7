/** The review of an ended game, computed in workers: coarse first, again where much may be lost, to the end of the game where it seems so. @module */
import { Account, MISTAKE } from "./account.js";
import { Thinker, isStop } from "./thinker.js";

/** The chosen action against the network's first two; more actions in other samples; the best one alone, by rollouts to the end. */
export const EFFORTS = {
  coarse: { samples: 24, candidates: 2, plies: 16, seed: 0 },
  fine: { samples: 64, candidates: 8, plies: 16, seed: 1 },
  check: { samples: 128, candidates: 1, plies: 10_000, seed: 2 },
};
/** @typedef {import("./account.js").Step} Step */
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
    for (let job = this.next(); job; job = this.next()) {
      const { at, kind } = job, chosen = line.actions[at], step = account.steps[at];
      const details = { ...EFFORTS[kind], state: line.kernel.seen(line.states[at], line.mover(at)), chosen, tried: kind === "check" ? [chosen, step?.best] : undefined };
      busy.add(at);
      const compared = await thinker.ask("compare", line.kernel, details, { signal: stopped.signal });
      busy.delete(at);
      if (kind === "check") account.check(at, compared);
      else account.add(at, compared, kind === "fine");
      this.changed();
    }
  }

  /** The next step to compare: the shown one, those without a result, and those that may have cost much. @returns {{at: number, kind: keyof typeof EFFORTS} | null} */
  next() {
    const { account, busy } = this, { choices, steps } = account, at = this.shown();
    const open = choices.flatMap((choice, place) => (choice && !busy.has(place) && !steps[place]?.checked ? [place] : []));
    const missing = open.find((place) => !steps[place]);
    if (open.includes(at) && !steps[at]?.fine) return { at, kind: "fine" };
    if (missing !== undefined) return { at: missing, kind: "coarse" };
    const costly = account.costliest(), risk = (/** @type {Step} */ step) => step.error * Number(!step.fine) - step.skill;
    const [most] = open.map((place) => /** @type {Step} */ (steps[place])).filter((step) => (step.fine ? step.mistake : risk(step) > MISTAKE) || costly.includes(step)).sort((a, b) => risk(b) - risk(a));
    return most ? { at: most.at, kind: most.fine ? "check" : "fine" } : null;
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
