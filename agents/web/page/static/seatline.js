/** A game as a server tells a seat of it. @module */
import { bytesOf } from "./kernel.js";
import { Course } from "./line.js";

/**
 * How the table stands, in the server's words.
 * @typedef {object} StateUpdate
 * @property {number} at how many decisions there were
 * @property {number} mover who is next, -1 when the game is over
 * @property {string} state the record as the seat sees it, base64
 * @property {number[]} legal ids, empty unless it is this seat's turn
 * @property {number} from the place that `log` begins at
 * @property {[number, number | null, string][]} log player and action of each step, null is a secret; the record before it, base64
 * @property {number} since the place behind the seat's last turn
 * @property {boolean} undoable
 */

export class SeatLine extends Course {
  /** @param {import("./kernel.js").Kernel} kernel */
  constructor(kernel) {
    super(kernel);
    /** Who decided, and at the end who is next. @type {number[]} */
    this.movers = [];
  }

  /** @param {number} at */
  mover(at) {
    return this.movers[at];
  }

  /** Apply an update of the server. @param {StateUpdate} stands */
  tell({ at, mover, state, from, log }) {
    if (from > this.length || from + log.length !== at) throw new Error("the server leaves out steps");
    this.actions = [...this.actions.slice(0, from), ...log.map(([, action]) => action)];
    this.movers = [...this.movers.slice(0, from), ...log.map(([seat]) => seat), mover];
    this.states = [...this.states.slice(0, from), ...log.map(([, , before]) => bytesOf(before)), bytesOf(state)];
    if (this.last.length !== this.kernel.size) throw new Error("the server's record is of another length than this page's");
  }
}
