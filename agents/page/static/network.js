/** A game's network: its weights, loaded once, and its forward pass. @module */
import { file } from "./games.js";

/** 16-bit floating point numbers (IEEE 754) widened. @param {Uint16Array} halves @returns {Float32Array} */
export function widened(halves) {
  return Float32Array.from(halves, (bits) => {
    const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
}

export class Network {
  /** @param {any} described its entry in the catalogue @param {Float32Array} weights */
  constructor(described, weights) {
    this.described = described;
    let at = 0;
    const take = (/** @type {number} */ count) => weights.subarray(at, (at += count));
    const layer = (/** @type {number} */ outputs, /** @type {number} */ inputs) => ({ outputs, inputs, weight: take(outputs * inputs), bias: take(outputs) });
    const { width, observation_size: size, num_actions: actions, blocks, seats } = described.shape;
    this.enter = layer(width, size);
    this.blocks = Array.from({ length: blocks }, () => layer(width, width));
    this.policy = layer(actions, width);
    this.value = layer(seats, width);
  }

  /** @param {Float32Array[]} observations @returns {{logits: Float32Array, values: Float32Array}[]} */
  evaluate(observations) {
    return observations.map((observation) => {
      let hidden = through(this.enter, observation).map(relu);
      for (const block of this.blocks) {
        const more = through(block, hidden);
        hidden = hidden.map((one, i) => one + relu(more[i]));
      }
      return { logits: through(this.policy, hidden), values: through(this.value, hidden).map((one) => one * this.described.scale) };
    });
  }
}

/** @param {number} value */
const relu = (value) => (value > 0 ? value : 0);

/** @param {{outputs: number, inputs: number, weight: Float32Array, bias: Float32Array}} layer @param {Float32Array} given */
function through({ outputs, inputs, weight, bias }, given) {
  const out = Float32Array.from(bias);
  for (let i = 0, at = 0; i < outputs; i += 1) {
    let sum = 0;
    for (let j = 0; j < inputs; j += 1, at += 1) sum += weight[at] * given[j];
    out[i] += sum;
  }
  return out;
}

/** @type {Map<string, Promise<Network>>} */
const loaded = new Map();

/** @param {import("./games.js").Game} game @param {number} players @returns {Promise<Network>} */
export function loadNetwork(game, players) {
  const described = game.entry.networks[players];
  let found = loaded.get(described.file);
  if (!found) {
    found = file(described.file).then((one) => one.arrayBuffer()).then((bytes) => new Network(described, widened(new Uint16Array(bytes))));
    loaded.set(described.file, found);
  }
  return found;
}
