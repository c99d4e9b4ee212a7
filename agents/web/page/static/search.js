/**
 * Search in the worker, from a redacted state: guided by a network where there is one (as `agents/search/guided.py`), else
 * information-set tree search with random rollouts (`agents/search/tree.py`).  The module simulates; this code asks it
 * in rounds, for as long as there is time.
 * @module
 */
import { Halving } from "./halving.js";
import { softmax, winShare } from "./evaluator.js";
import { halves } from "./kernel.js";

/**
 * @typedef {object} Found
 * @property {number} action the choice
 * @property {number[]} actions that are legal
 * @property {number[]} visits of them
 * @property {number[]} values win shares after them, for who decides
 * @property {number[]} scores logits of an improved choice
 * @property {number} simulations
 * @property {number} seconds
 */
/** @typedef {{run: (state: Uint8Array, seed: bigint, seconds: number, still: () => Promise<boolean>, report?: (found: Found) => void, most?: number) => Promise<Found>}} Search */

/** Simulations between two looks at the clock, and between two calls of the network. */
const [CHUNK, PARALLEL] = [32, 8];
/** Simulations of a search, at most, and places of its table. */
const [MOST, PLACES] = [1 << 14, 1 << 19];
/** Constant of PUCT; whose sight makes the nodes: the searcher's. */
const [EXPLORATION, SEARCHER] = [1.25, 1];
/** Constants of the transformation of values at the root. */
const [VISITS_OFFSET, VALUE_SCALE] = [50, 1];
/** Milliseconds between two reports. */
const REPORT = 400;

/** The power of two that is not less. @param {number} count */
const atLeast = (count) => 2 ** Math.ceil(Math.log2(count));

/** @param {import("./kernel.js").Kernel} kernel @param {import("./evaluator.js").Evaluator | null} evaluator whose network guides, null for rollouts @returns {Search} */
export function bindSearch(kernel, evaluator) {
  return evaluator ? new Guided(kernel, evaluator.network) : new Tree(kernel);
}

/** Memory of a search, taken once. */
class Searcher {
  /** @param {import("./kernel.js").Kernel} kernel @param {number} size @param {number} bytes */
  constructor(kernel, size, bytes) {
    this.kernel = kernel;
    this.exports = kernel.exports;
    this.size = size;
    const { heap, info, size: state } = kernel, { actions } = info.sizes;
    this.memory = heap.take(bytes);
    this.root = heap.take(state);
    this.visitsAt = heap.take(8 * actions);
    this.valuesAt = heap.take(8 * actions);
    this.actions = actions;
  }

  /** @param {Uint8Array} state */
  begin(state) {
    this.kernel.heap.view(Uint8Array, this.root, state.length).set(state);
  }

  get visits() {
    return this.kernel.heap.view(Float64Array, this.visitsAt, this.actions);
  }

  get values() {
    return this.kernel.heap.view(Float64Array, this.valuesAt, this.actions);
  }

  /**
   * Simulate until the time is over, the answer is no longer wanted, or there are enough simulations.
   * @param {{seconds: number, most: number, still: () => Promise<boolean>, report?: (found: Found) => void}} limits
   * @param {(done: number, spent: number) => number} round more simulations; how many
   * @param {(done: number, seconds: number) => Found} found
   */
  async loop({ seconds, most, still, report }, round, found) {
    const begun = performance.now();
    let [done, spent, reported] = [0, 0, begun];
    while (done < most && spent < 1) {
      done += round(done, spent);
      const now = performance.now();
      spent = (now - begun) / 1000 / seconds;
      if (report && now - reported > REPORT) {
        report(found(done, (now - begun) / 1000));
        reported = now;
      }
      if (!(await still())) break;
    }
    return found(done, (performance.now() - begun) / 1000);
  }
}

class Guided extends Searcher {
  /** @param {import("./kernel.js").Kernel} kernel @param {import("./network.js").Network} network */
  constructor(kernel, network) {
    const { info, players, exports, heap } = kernel, { actions, observation } = info.sizes;
    const size = Math.min(atLeast(2 * actions + 32 * MOST), PLACES);
    super(kernel, size, exports.guided_bytes(size, PARALLEL, players, actions, observation));
    this.network = network;
    this.shape = [size, PARALLEL, players, actions, observation];
    this.logitsAt = heap.take(4 * actions);
    this.expectedAt = heap.take(8 * players);
    this.forcedAt = heap.take(4 * PARALLEL);
    const { inputs, width, seats } = network.sizes;
    this.scratch = heap.take(exports.forward_bytes(inputs, width) + 4 * seats);
  }

  /** @param {number} first @param {number} count @param {number[] | null} forced */
  round(first, count, forced) {
    const { kernel, network, scratch, exports } = this, { width, blocks, normed, seats } = network.sizes;
    if (forced) kernel.heap.view(Int32Array, this.forcedAt, count).set(forced);
    exports.guided_round(
      kernel.tables, this.memory, ...this.shape, first, count, EXPLORATION, SEARCHER, forced ? this.forcedAt : 0,
      network.weights, width, blocks, normed, seats, network.described.scale, scratch,
    );
  }

  tally() {
    this.exports.guided_tally(this.kernel.tables, this.memory, ...this.shape, this.visitsAt, this.valuesAt);
  }

  /** @param {Uint8Array} state @param {bigint} seed @param {number} seconds @param {() => Promise<boolean>} still @param {(found: Found) => void} [report] @param {number} [most] */
  async run(state, seed, seconds, still, report, most = MOST) {
    const { kernel, memory, exports } = this, { heap, tables, players } = kernel, [size, parallel, , actions, observation] = this.shape;
    const legal = kernel.legal(state), mover = kernel.mover(state);
    this.begin(state);
    exports.guided_begin(this.root, memory, size, parallel, actions, observation, ...halves(seed));
    this.round(0, 1, null);
    exports.guided_root(tables, memory, ...this.shape, this.logitsAt, this.expectedAt);
    const all = heap.view(Float32Array, this.logitsAt, actions), logits = legal.map((action) => all[action]);
    const own = heap.view(Float64Array, this.expectedAt, players)[mover];
    const halving = new Halving(legal.map((_, i) => i), logits, most);
    const scores = () => {
      this.tally();
      const visits = legal.map((action) => this.visits[action]), values = legal.map((action) => this.values[action]);
      const more = completed(visits, values, logits, own);
      return { visits, values, scores: logits.map((one, i) => one + more[i]) };
    };
    const round = (/** @type {number} */ done, /** @type {number} */ spent) => {
      const count = Math.min(PARALLEL, most - done);
      this.round(done + 1, count, halving.next(count, scores().scores, spent).map((i) => legal[i]));
      return count;
    };
    const found = (/** @type {number} */ simulations, /** @type {number} */ taken) => {
      const now = scores(), best = halving.best(now.scores, now.visits);
      const values = now.visits.map((count, i) => winShare(count ? now.values[i] : own, players));
      return { action: legal[best], actions: legal, visits: now.visits, values, scores: now.scores, simulations, seconds: taken };
    };
    return this.loop({ seconds, most, still, report }, round, found);
  }
}

/**
 * The completed Q-values on the scale of logits: visited actions keep theirs, the others get a mixture.
 * @param {number[]} visits @param {number[]} values @param {number[]} logits @param {number} own value estimate of the network
 */
export function completed(visits, values, logits, own) {
  const shares = softmax(logits), total = visits.reduce((a, b) => a + b, 0);
  let [weight, sum] = [0, 0];
  visits.forEach((count, i) => {
    if (count > 0) [weight, sum] = [weight + shares[i], sum + shares[i] * values[i]];
  });
  const mixture = total > 0 ? (own + (total * sum) / Math.max(weight, 1e-12)) / (1 + total) : own;
  const scale = (VISITS_OFFSET + Math.max(...visits)) * VALUE_SCALE;
  return visits.map((count, i) => (scale * ((count > 0 ? values[i] : mixture) + 1)) / 2);
}

/** Options of the tree search: one determinization per simulation, the searcher's information states, all players search. */
const RULES = { mode: 0, worlds: 1, observer: SEARCHER, model: 0, depth: 400, limit: 100_000, widening: 0 };
/** The utility is the logistic of a lead divided by `scale` points; rollouts last `rounds` rounds. */
const LOGISTIC = { utility: 1, scale: 15, exploration: 0.1, rounds: 2 };

class Tree extends Searcher {
  /** @param {import("./kernel.js").Kernel} kernel */
  constructor(kernel) {
    const { info, players, exports } = kernel, { actions } = info.sizes;
    const size = Math.max(64, atLeast(2 * MOST));
    super(kernel, size, exports.tree_bytes(size, RULES.depth, players, actions));
    this.rounds = kernel.manifest.has_rounds ? LOGISTIC.rounds : 0;
  }

  /** @param {Uint8Array} state @param {bigint} seed @param {number} seconds @param {() => Promise<boolean>} still @param {(found: Found) => void} [report] @param {number} [most] */
  async run(state, seed, seconds, still, report, most = MOST) {
    const { kernel, memory, exports, size, actions, root } = this, legal = kernel.legal(state);
    const { mode, worlds, observer, model, depth, limit, widening } = RULES, { utility, scale, exploration } = LOGISTIC;
    this.begin(state);
    const round = (/** @type {number} */ done) => {
      const count = Math.min(CHUNK, most - done);
      exports.tree_search(
        kernel.tables, root, memory, size, actions, mode, worlds, observer, model, depth, this.rounds, limit, utility,
        scale, exploration, widening, ...halves(seed), done, count,
      );
      return count;
    };
    const found = (/** @type {number} */ simulations, /** @type {number} */ taken) => {
      exports.tree_votes(kernel.tables, root, memory, size, actions, mode, worlds, depth, this.visitsAt, this.valuesAt);
      const visits = legal.map((action) => this.visits[action]), values = legal.map((action) => this.values[action]);
      const best = visits.reduce((top, count, i) => (count > visits[top] || (count === visits[top] && values[i] > values[top]) ? i : top), 0);
      const scores = visits.map((count) => Math.log(count + 1e-3));
      return { action: legal[best], actions: legal, visits, values, scores, simulations, seconds: taken };
    };
    return this.loop({ seconds, most, still, report }, round, found);
  }
}
