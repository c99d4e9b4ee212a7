/** The record of a game: its first state, the actions, and the state after each of them. @module */

/** @typedef {import("./kernel.js").Kernel} Kernel */

/** Invalid input of a file, a link or a form; the message names the fault. */
export class Refused extends Error {
  name = "Refused";
}

/** The known part of a game: all of it (`Line`), or the updates of a seat (`SeatLine`). */
export class Course {
  /** @param {Kernel} kernel */
  constructor(kernel) {
    this.kernel = kernel;
    /** @type {(number | null)[]} null is a secret of another seat */
    this.actions = [];
    /** @type {Uint8Array[]} states[i] is that before action i, where it is known; the last one always is */
    this.states = [];
  }

  /** The number of steps. */
  get length() {
    return this.actions.length;
  }

  /** Whether the states hold what is hidden from the seats. */
  get isWhole() {
    return false;
  }

  /** The state as it is now. */
  get last() {
    return this.states[this.actions.length];
  }

  /** Whether the game is over. */
  get isOver() {
    return this.mover(this.length) < 0;
  }

  /** The player to move at a step; -1 when the game is over. @param {number} at */
  mover(at) {
    return this.kernel.mover(this.states[at]);
  }

  /** The action of a step for a seat, -1 for the whole state; null for another seat's secret. @param {number} at @param {number} seat @returns {number | null} */
  told(at, seat) {
    const action = this.actions[at];
    return action === null ? null : this.kernel.told(action, seat, this.mover(at));
  }

  /** A copy of the game up to a step. @param {number} at @returns {this} */
  upTo(at) {
    const course = Object.create(Object.getPrototypeOf(this));
    return Object.assign(course, this, { actions: this.actions.slice(0, at), states: this.states.slice(0, at + 1) });
  }

  /** The place at which the next turn begins, or the end. @param {number} at */
  turnAfter(at) {
    let to = at + 1;
    while (to < this.length && this.mover(to) === this.mover(at)) to += 1;
    return Math.min(to, this.length);
  }

  /** The place at which the turn before a place begins. @param {number} at */
  turnBefore(at) {
    let to = at - 1;
    while (to > 0 && this.mover(to) === this.mover(to - 1)) to -= 1;
    return Math.max(to, 0);
  }

  /** The round at a place, from 1; 0 for games without rounds. @param {number} at */
  round(at) {
    return this.kernel.round(this.states[at]);
  }
}

export class Line extends Course {
  /** @type {number[]} a whole game has no secrets */
  actions = [];

  /**
   * A game that begins.
   * @param {Kernel} kernel
   * @param {bigint} seed in 0..2**63-1
   * @param {Uint8Array} [first] another first state than that of the seed
   */
  constructor(kernel, seed, first = kernel.start(seed)) {
    super(kernel);
    this.seed = seed;
    this.states = [first];
  }

  get isWhole() {
    return true;
  }

  /** Plays one action; Refused unless it is legal. @param {number} action */
  play(action) {
    if (!this.kernel.legal(this.last).includes(action)) {
      const text = this.kernel.texts[action] ?? `action ${action}`;
      throw new Refused(`step ${this.length + 1}: “${text}” is not legal there`);
    }
    this.states.push(this.kernel.after(this.last, action));
    this.actions.push(action);
    return this;
  }

  /** The first place of every round. @returns {{round: number, at: number}[]} */
  rounds() {
    const found = [];
    for (let at = 0; at <= this.length; at += 1) {
      const round = this.round(at);
      if (round > (found.at(-1)?.round ?? 0)) found.push({ round, at });
    }
    return found;
  }
}

/**
 * The line of a seed and its actions.
 * @param {Kernel} kernel
 * @param {bigint} seed
 * @param {Iterable<number>} actions
 */
export function lineOf(kernel, seed, actions) {
  const line = new Line(kernel, seed);
  for (const action of actions) line.play(action);
  return line;
}
