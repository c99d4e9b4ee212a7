/** Lines of play that branch off each other. @module */
/** @typedef {import("./line.js").Line} Line */

/**
 * @typedef {object} Branch
 * @property {Line} line
 * @property {number} from the place where it leaves the line it came from; 0 for the first one
 */

export class Lines {
  /** @param {Line} line the game as it went */
  constructor(line) {
    /** @type {Branch[]} */
    this.branches = [{ line, from: 0 }];
    this.now = 0;
  }

  get line() {
    return this.branches[this.now].line;
  }

  /**
   * Play an action at a step of the current line: follow the line if it continues so, else branch off.
   * @param {number} at
   * @param {number} action
   */
  play(at, action) {
    const { line } = this;
    if (line.actions[at] === action) return;
    if (at === line.length) {
      line.play(action);
      return;
    }
    const along = this.branches.findIndex(({ line: other }) => other.states[at] === line.states[at] && other.actions[at] === action);
    if (along >= 0) {
      this.now = along;
      return;
    }
    this.branches.push({ line: line.upTo(at).play(action), from: at });
    this.now = this.branches.length - 1;
  }

  /** Forgets a branch; the first one stays. @param {number} place */
  drop(place) {
    if (place === 0) return;
    this.branches.splice(place, 1);
    if (this.now >= place) this.now -= 1;
  }
}
