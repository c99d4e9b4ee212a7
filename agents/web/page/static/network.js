/** A game's network: its weights, loaded once, and its forward pass. @module */
import { file } from "./games.js";

export class Network {
  /**
   * @param {import("./games.js").Game} game whose module calculates
   * @param {import("./data.d.ts").NetworkEntry} described its entry in the catalogue
   * @param {ArrayBuffer} data layer by layer the matrix as integers, the units of its rows, the bias
   */
  constructor({ exports, heap }, described, data) {
    this.exports = exports;
    this.heap = heap;
    this.described = described;
    const { width, observation_size: inputs, num_actions: actions, blocks, normed, seats } = described.shape;
    this.sizes = { inputs, width, blocks, normed, actions, seats };
    const layers = [[width, inputs], ...Array(blocks).fill([width, width]), [actions, width], [seats, width]];
    const count = layers.reduce((sum, [outputs, size]) => sum + outputs * (size + 1), 0);
    this.weights = heap.take(4 * count);
    const weights = heap.view(Float32Array, this.weights, count);
    const Whole = described.bits === 8 ? Int8Array : Int16Array;
    let [from, to] = [0, 0];
    for (const [outputs, size] of layers) {
      const matrix = new Whole(data, from, outputs * size), floats = from + matrix.byteLength;
      const units = new Float32Array(data.slice(floats, floats + 4 * outputs));
      // The module wants the numbers of one input side by side.
      for (let row = 0, at = 0; row < outputs; row += 1) {
        for (let column = 0; column < size; column += 1, at += 1) weights[to + column * outputs + row] = matrix[at] * units[row];
      }
      to += outputs * size;
      weights.set(new Float32Array(data.slice(floats + 4 * outputs, floats + 8 * outputs)), to);
      [from, to] = [floats + 8 * outputs, to + outputs];
    }
    this.scratch = heap.take(exports.forward_bytes(inputs, width));
    /** @type {{count: number, observations: number, logits: number, values: number}} addresses, and the largest batch */
    this.room = { count: 0, observations: 0, logits: 0, values: 0 };
  }

  /** @param {number} count */
  spaceFor(count) {
    if (this.room.count < count) {
      const { inputs, actions, seats } = this.sizes, take = (/** @type {number} */ each) => this.heap.take(4 * each * count);
      this.room = { count, observations: take(inputs), logits: take(actions), values: take(seats) };
    }
    return this.room;
  }

  /** Logits and values at addresses, for observations at one; values in units of the scale. @param {number} count @param {number} observations @param {number} logits @param {number} values */
  forward(count, observations, logits, values) {
    const { inputs, width, blocks, normed, actions, seats } = this.sizes;
    this.exports.forward(this.weights, inputs, width, blocks, normed, actions, seats, observations, count, logits, values, this.scratch);
  }

  /** Logits of all actions, and results from the observer on. @param {Float32Array[]} observations @returns {{logits: Float32Array, values: Float32Array}[]} */
  evaluate(observations) {
    const count = observations.length, { inputs, actions, seats } = this.sizes;
    const room = this.spaceFor(count);
    observations.forEach((one, i) => this.heap.view(Float32Array, room.observations + 4 * i * inputs, inputs).set(one));
    this.forward(count, room.observations, room.logits, room.values);
    return observations.map((_, i) => ({
      logits: this.heap.view(Float32Array, room.logits + 4 * i * actions, actions).slice(),
      values: this.heap.view(Float32Array, room.values + 4 * i * seats, seats).map((one) => one * this.described.scale),
    }));
  }
}

/** @type {Map<string, Promise<Network>>} */
const loaded = new Map();

/** @param {import("./games.js").Game} game @param {number} players @returns {Promise<Network>} */
export function loadNetwork(game, players) {
  const described = game.entry.networks[players];
  let found = loaded.get(described.file);
  if (!found) {
    found = file(described.file).then((one) => one.arrayBuffer()).then((bytes) => new Network(game, described, bytes));
    loaded.set(described.file, found);
    found.catch(() => loaded.delete(described.file));
  }
  return found;
}
