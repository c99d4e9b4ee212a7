/**
 * Which choices of the others somebody can tell.
 *
 * A choice is hidden from a seat if in some world that this seat takes for possible another choice would have looked the
 * same to it: the redacted states are equal, the true ones are not.
 * @module
 */

/** Worlds that are tried. */
const WORLDS = 8;

/** @param {Uint8Array} one @param {Uint8Array} other */
const equal = (one, other) => one.every((byte, i) => byte === other[i]);

/**
 * Whether a seat can tell what was chosen.
 * @param {import("./kernel.js").Kernel} kernel
 * @param {Uint8Array} state before the choice
 * @param {number} action
 * @param {number} seat
 * @returns {boolean}
 */
export function tells(kernel, state, action, seat) {
  if (kernel.mover(state) === seat || seat < 0) return true;
  const worlds = [state];
  for (let i = 1; i <= WORLDS; i += 1) worlds.push(kernel.world(state, seat, BigInt(i)));
  return worlds.every((world) => {
    const legal = kernel.legal(world);
    if (!legal.includes(action)) return true;
    const after = kernel.after(world, action), seen = kernel.seen(after, seat);
    return legal.every((other) => {
      if (other === action) return true;
      const instead = kernel.after(world, other);
      return !equal(kernel.seen(instead, seat), seen) || equal(instead, after);
    });
  });
}

/**
 * The choices of a line as a seat may read them: texts, null where a choice was hidden from it.
 * @param {import("./line.js").Line} line
 */
export class Told {
  /** @param {import("./line.js").Line} line @param {number} seat -1 for everything */
  constructor(line, seat) {
    this.line = line;
    this.seat = seat;
    /** @type {(string | null)[]} */
    this._texts = [];
  }

  /** @param {number} at @returns {string | null} */
  text(at) {
    const { line, seat } = this;
    while (this._texts.length <= at) {
      const i = this._texts.length, told = tells(line.kernel, line.states[i], line.actions[i], seat);
      this._texts.push(told ? line.kernel.texts[line.actions[i]] : null);
    }
    return this._texts[at];
  }
}
