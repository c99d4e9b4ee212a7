/** Values of actions in sampled states, by rollouts of a network; the definitions of `agents/review/estimates.py`. @module */
import { shareOf, sharesOf, softmax } from "./evaluator.js";
import { sha256 } from "./sha256.js";

/** Steps after the plies of a rollout, at most, until the mover is to move again; the network's probability of a candidate, at least. */
const [LONGEST, LEAST] = [64, 0.002];

/**
 * The values of some actions in common sampled states.
 * @typedef {object} Compared
 * @property {number[]} actions the chosen one first
 * @property {number[]} shares of the network for them
 * @property {number[][]} values win shares of the mover, by action and sampled state
 * @property {number} length mean number of steps of the rollouts
 */
/** @typedef {{samples: number, candidates: number, plies: number, seed?: number}} Effort sizes of an estimate, named as in Python */

/** The policy RNG seed of one decision, in 0..2^63-1: a hash of the redacted state, so that equal states get equal answers. @param {Uint8Array} sight @param {number} [number] for several seeds @returns {bigint} */
export function policySeed(sight, number = 0) {
  const digest = sha256(Uint8Array.of(...sight, number));
  return BigInt(`0x${digest.slice(0, 16)}`) >> 1n;
}

/** Random numbers in 0..1 (mulberry32). @param {number} seed */
function uniforms(seed) {
  let at = seed;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(at ^ (at >>> 15), at | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class Estimator {
  /** @param {import("./kernel.js").Kernel} kernel @param {import("./evaluator.js").Evaluator} evaluator */
  constructor(kernel, evaluator) {
    this.kernel = kernel;
    this.evaluator = evaluator;
    this.room = { count: 0, at: 0 };
  }

  /** The address of memory for states. @param {number} count */
  states(count) {
    if (this.room.count < count) this.room = { count, at: this.kernel.heap.take(count * this.kernel.size) };
    return this.room.at;
  }

  /**
   * Compare actions of the player to move of a redacted state: the given ones, or a chosen one and the most probable others.
   * @param {{state: Uint8Array, tried?: number[], chosen?: number} & Effort} details
   * @param {() => Promise<boolean>} still whether the answer is still wanted
   * @returns {Promise<Compared>}
   */
  async compare({ state, tried, chosen, samples, candidates, plies, seed = 0 }, still) {
    const { kernel } = this, [estimate] = this.evaluator.raw([state]), probable = softmax(estimate.logits);
    const share = (/** @type {number} */ action) => probable[estimate.actions.indexOf(action)];
    const order = [...estimate.actions].sort((a, b) => share(b) - share(a)).slice(0, candidates);
    const actions = tried ?? [...new Set([...(chosen === undefined ? [] : [chosen]), ...order.filter((action) => share(action) >= LEAST)])];
    const shares = actions.map(share), first = seed * samples;
    if (actions.length === 1) return { actions, shares, values: [Array(samples).fill(0)], length: 0 };
    const worlds = Array.from({ length: samples }, (_, i) => kernel.determinize(state, kernel.mover(state), policySeed(state, first + i)));
    const { results, length } = await this.rollOut(worlds, actions, kernel.mover(state), plies, Number(policySeed(state, first) & 0xffffffffn), still);
    return { actions, shares, values: actions.map((_, k) => worlds.map((_world, w) => results[w * actions.length + k])), length };
  }

  /**
   * The mover's win shares after each action in each state, and the mean length; the network plays all seats.  Actions of a state share random numbers.
   * @param {Uint8Array[]} worlds @param {number[]} actions @param {number} mover @param {number} plies @param {number} seed @param {() => Promise<boolean>} still
   */
  async rollOut(worlds, actions, mover, plies, seed, still) {
    const { kernel, evaluator: { network } } = this, { exports, heap, tables, size, info, players } = kernel;
    const { inputs, actions: all, seats } = network.sizes, count = worlds.length * actions.length;
    const base = this.states(count), room = network.spaceFor(count), next = uniforms(seed), results = Array(count).fill(0);
    worlds.forEach((world, w) => actions.forEach((action, k) => {
      const at = base + size * (w * actions.length + k);
      heap.view(Uint8Array, at, size).set(world);
      exports.step(tables, at, action);
    }));
    let rows = results.map((_, row) => row), steps = 0;
    for (let ply = 0; rows.length && (await still()); ply += 1) {
      const movers = rows.map((row) => exports.current_player(base + size * row));
      steps += rows.length;
      rows.forEach((row, i) => {
        if (movers[i] < 0) results[row] = sharesOf(kernel.places(heap.view(Uint8Array, base + size * row, size)))[mover];
        else exports.observe(tables, base + size * row, movers[i], room.observations + 4 * inputs * i, info.sizes.observation);
      });
      network.forward(rows.length, room.observations, room.logits, room.values);
      const drawn = worlds.map(next), logits = heap.view(Float32Array, room.logits, rows.length * all), values = heap.view(Float32Array, room.values, rows.length * seats);
      rows = rows.filter((row, i) => {
        if (movers[i] < 0) return false;
        if ((ply >= plies && movers[i] === mover) || ply >= plies + LONGEST) {
          results[row] = shareOf(values[i * seats + ((mover - movers[i] + players) % players)] * network.described.scale, players);
          return false;
        }
        const at = base + size * row, legal = heap.view(Int32Array, kernel.ids, exports.legal_ids(tables, at, kernel.words, kernel.ids));
        exports.step(tables, at, drawnFrom(legal, logits.subarray(i * all, (i + 1) * all), drawn[Math.floor(row / actions.length)]));
        return true;
      });
    }
    return { results, length: steps / count };
  }
}

/** One of some actions by a number in 0..1 and their logits. @param {Int32Array} legal @param {Float32Array} logits @param {number} uniform */
function drawnFrom(legal, logits, uniform) {
  let [highest, mass] = [-Infinity, 0];
  for (const action of legal) highest = Math.max(highest, logits[action]);
  for (const action of legal) mass += Math.exp(logits[action] - highest);
  let left = uniform * mass;
  for (const action of legal) if ((left -= Math.exp(logits[action] - highest)) < 0) return action;
  return legal[legal.length - 1];
}

