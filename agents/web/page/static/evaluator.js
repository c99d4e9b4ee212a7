/** Estimates of a network: probabilities of the actions, and win shares. @module */

/** Probabilities of logits. @param {ArrayLike<number>} logits @param {number} [temperature] @returns {number[]} */
export function softmax(logits, temperature = 1) {
  const scaled = Array.from(logits, (one) => one / temperature), highest = Math.max(...scaled);
  const weights = scaled.map((one) => Math.exp(one - highest)), mass = weights.reduce((a, b) => a + b, 0);
  return weights.map((one) => one / mass);
}

/** The win share of a result in -1..1; that of an estimate may be out of 0..1. @param {number} result @param {number} players */
export const shareOf = (result, players) => (result * (players - 1) + 1) / players;

/** The same within 0..1. @param {number} result @param {number} players */
export const winShare = (result, players) => Math.min(1, Math.max(0, shareOf(result, players)));

/** The win shares of places in an ended game. @param {number[]} places */
export function sharesOf(places) {
  const winners = places.filter((place) => place === 1).length;
  return places.map((place) => (place === 1 ? 1 / winners : 0));
}

export class Evaluator {
  /** @param {import("./kernel.js").Kernel} kernel @param {import("./network.js").Network} network */
  constructor(kernel, network) {
    this.kernel = kernel;
    this.network = network;
  }

  /**
   * Evaluate redacted states for their players to move.
   * @param {Uint8Array[]} states
   * @returns {{actions: number[], logits: number[], results: number[]}[]} results by seat, in -1..1
   */
  raw(states) {
    const { kernel, network } = this, { players } = kernel;
    const movers = states.map((state) => kernel.mover(state));
    const found = network.evaluate(states.map((state, i) => kernel.observed(state, movers[i])));
    return states.map((state, i) => {
      const actions = kernel.legal(state), { logits, values } = found[i];
      const results = Array.from({ length: players }, (_, seat) => values[(seat - movers[i] + players) % players]);
      return { actions, logits: actions.map((action) => logits[action]), results };
    });
  }

  /** Evaluate redacted states as probabilities and win shares. @param {Uint8Array[]} states @returns {import("./insight.js").Estimate[]} */
  estimates(states) {
    return this.raw(states).map(({ actions, logits, results }) => ({
      actions,
      shares: softmax(logits),
      values: this.shared(results),
      exact: results.map((one) => shareOf(one, this.kernel.players)),
    }));
  }

  /** Results as win shares that add up to one. @param {number[]} results */
  shared(results) {
    const shares = results.map((one) => winShare(one, this.kernel.players)), sum = shares.reduce((a, b) => a + b, 0);
    return shares.map((one) => (sum > 0 ? one / sum : 1 / shares.length));
  }
}
