/** The agents of one table, which run in the worker. @module */
import { loadNetwork } from "./network.js";
import { Estimator, policySeed } from "./estimator.js";
import { Evaluator, softmax } from "./evaluator.js";
import { bindSearch } from "./search.js";

/** States that a network evaluates between two looks at the clock. */
const BATCH = 16;

/** An action drawn by its logits; the most probable one without a temperature. @param {number[]} actions @param {number[]} logits @param {number} heat @param {bigint} seed */
function drawn(actions, logits, heat, seed) {
  if (heat === 0) return actions[logits.indexOf(Math.max(...logits))];
  let left = Number(seed & 0xffffffffn) / 2 ** 32;
  const shares = softmax(logits, heat);
  return actions[shares.findIndex((share, i) => (left -= share) < 0 || i === shares.length - 1)];
}

export class Players {
  /** @param {import("./games.js").Game} game @param {number} count */
  static async open(game, count) {
    const players = new Players(game, count);
    if (game.hasNetwork(count)) players.evaluator = new Evaluator(players.kernel, await loadNetwork(game, count));
    return players;
  }

  /** @param {import("./games.js").Game} game @param {number} count */
  constructor(game, count) {
    this.game = game;
    this.kernel = game.kernel(count);
    /** @type {Evaluator | null} */
    this.evaluator = null;
    /** @type {Estimator | null} */
    this._estimator = null;
    /** @type {import("./search.js").Search | null} */
    this._search = null;
  }

  get requiredEvaluator() {
    if (!this.evaluator) throw new Error(`there is no network for ${this.kernel.players} players`);
    return this.evaluator;
  }

  get estimator() {
    this._estimator ??= new Estimator(this.kernel, this.requiredEvaluator);
    return this._estimator;
  }

  get search() {
    this._search ??= bindSearch(this.kernel, this.game.hasEvaluator(this.kernel.players) ? this.evaluator : null);
    return this._search;
  }

  /**
   * @param {string} kind the kind of the question
   * @param {any} details
   * @param {() => Promise<boolean>} still whether the answer is still wanted
   * @param {(progress: any) => void} report
   */
  async answer(kind, details, still, report) {
    if (kind === "choose") return { action: await this.choose(details, still) };
    if (kind === "evaluate") return this.evaluateAll(details.states, still, report);
    if (kind === "search") return this.searched(details, still, report);
    if (kind === "compare") return this.estimator.compare(details, still);
    if (kind === "deal") return this.deal(details, still);
    throw new Error(`the worker has no answer to “${kind}”`);
  }

  /** @param {{state: Uint8Array, agent: import("./seats.js").Seat}} details @param {() => Promise<boolean>} still @returns {Promise<number>} */
  async choose({ state, agent }, still) {
    const chance = policySeed(state);
    if (agent.agent === "search") return (await this.search.run(state, chance, agent.seconds ?? 1, still)).action;
    if (agent.agent !== "network") return this.kernel.choose(agent.agent, state, chance);
    const [{ actions, logits }] = this.requiredEvaluator.raw([state]);
    return drawn(actions, logits, this.game.heat(agent.level), chance);
  }

  /** @param {Uint8Array[]} states @param {() => Promise<boolean>} still @param {(progress: any) => void} report */
  async evaluateAll(states, still, report) {
    for (let first = 0; first < states.length; first += BATCH) {
      report({ first, estimates: this.requiredEvaluator.estimates(states.slice(first, first + BATCH)) });
      if (!(await still())) break;
    }
    return states.length;
  }

  /** @param {{state: Uint8Array, seconds: number}} details @param {() => Promise<boolean>} still @param {(progress: any) => void} report */
  async searched({ state, seconds }, still, report) {
    return this.search.run(state, policySeed(state), seconds, still, report);
  }

  /** One deal with each agent in the same seat. @param {{seed: bigint, seat: number, agents: string[], opponent: string}} details @param {() => Promise<boolean>} still */
  async deal({ seed, seat, agents, opponent }, still) {
    const { kernel } = this, found = [];
    for (const agent of agents) {
      let state = kernel.start(seed);
      for (let mover = kernel.mover(state); mover >= 0; mover = kernel.mover(state)) {
        const asked = { state: kernel.seen(state, mover), agent: { agent: mover === seat ? agent : opponent } };
        state = kernel.after(state, await this.choose(asked, still));
      }
      found.push({ agent, totals: kernel.totals(state), places: kernel.places(state) });
      if (!(await still())) break;
    }
    return found;
  }
}
