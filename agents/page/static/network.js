/** A game's network: its weights, loaded once, and its forward pass. @module */
import { file } from "./games.js";

export class Network {
  /**
   * @param {import("./games.js").Game} game whose module calculates
   * @param {any} described its entry in the catalogue
   * @param {Uint8Array} halves all weights as 16-bit numbers, layer by layer: the matrix, then the bias
   */
  constructor({ exports, heap }, described, halves) {
    this.exports = exports;
    this.heap = heap;
    this.described = described;
    const { width, observation_size: inputs, num_actions: actions, blocks, seats } = described.shape;
    this.sizes = { inputs, width, blocks, actions, seats };
    const layers = [[width, inputs], ...Array(blocks).fill([width, width]), [actions, width], [seats, width]];
    const given = heap.put(halves);
    this.weights = heap.take(2 * halves.length);
    let at = 0;
    for (const [outputs, size] of layers) {
      for (const columns of [size, 1]) {
        exports.widen(given + 2 * at, outputs, columns, this.weights + 4 * at);
        at += outputs * columns;
      }
    }
    this.scratch = heap.take(exports.forward_bytes(inputs, width));
    /** @type {{count: number, observations: number, logits: number, values: number}} room for so many at once */
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
    const { inputs, width, blocks, actions, seats } = this.sizes;
    this.exports.forward(this.weights, inputs, width, blocks, actions, seats, observations, count, logits, values, this.scratch);
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
    found = file(described.file).then((one) => one.arrayBuffer()).then((bytes) => new Network(game, described, new Uint8Array(bytes)));
    loaded.set(described.file, found);
  }
  return found;
}
