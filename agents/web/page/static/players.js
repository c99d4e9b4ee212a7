/** The players of one table: what the worker answers with. @module */
import { loadNetwork } from "./network.js";
import { Judge, softmax } from "./judge.js";
import { bindSearch } from "./search.js";
import { sha256 } from "./sha256.js";

/** States that a network judges between two looks at the clock. */
const BATCH = 16;
/** Decisions that a hint plays on, at most. */
const LONGEST = 120;

/** @param {number[]} values */
const sum = (values) => values.reduce((a, b) => a + b, 0);

/** A number in 0..2^63-1 for the chance of one decision: a hash of what is seen, so that the same sight is answered alike. @param {Uint8Array} sight @param {number} [number] tells several apart @returns {bigint} */
function chanceOf(sight, number = 0) {
  const digest = sha256(Uint8Array.of(...sight, number));
  return BigInt(`0x${digest.slice(0, 16)}`) >> 1n;
}

/** How freely a strength draws: 10 plays the best, 1 nearly anything. @param {number | undefined} strength */
const temperature = (strength) => (10 - (strength ?? 10)) / 4;

/** An action drawn by its logits. @param {number[]} actions @param {number[]} logits @param {number | undefined} strength @param {bigint} seed */
function drawn(actions, logits, strength, seed) {
  const heat = temperature(strength);
  if (heat === 0) return actions[logits.indexOf(Math.max(...logits))];
  let left = Number(seed & 0xffffffffn) / 2 ** 32;
  const shares = softmax(logits, heat);
  return actions[shares.findIndex((share, i) => (left -= share) < 0 || i === shares.length - 1)];
}

export class Players {
  /** @param {import("./games.js").Game} game @param {number} count */
  static async open(game, count) {
    const players = new Players(game, count);
    if (game.hasNetwork(count)) players.judge = new Judge(players.kernel, await loadNetwork(game, count));
    return players;
  }

  /** @param {import("./games.js").Game} game @param {number} count */
  constructor(game, count) {
    this.game = game;
    this.kernel = game.kernel(count);
    /** @type {Judge | null} */
    this.judge = null;
    /** @type {import("./search.js").Search | null} */
    this._search = null;
  }

  get judging() {
    if (!this.judge) throw new Error(`there is no network for ${this.kernel.players} players`);
    return this.judge;
  }

  get search() {
    this._search ??= bindSearch(this.kernel, this.game.hasJudge(this.kernel.players) ? this.judge : null);
    return this._search;
  }

  /**
   * @param {string} what
   * @param {any} details
   * @param {() => Promise<boolean>} still whether somebody waits for the answer
   * @param {(progress: any) => void} told
   */
  async answer(what, details, still, told) {
    if (what === "choose") return { action: await this.choose(details, still) };
    if (what === "judge") return this.judgeAll(details.states, still, told);
    if (what === "search") return this.searched(details, still, told);
    if (what === "hint") return this.hint(details, still);
    if (what === "deal") return this.deal(details, still);
    throw new Error(`nobody knows how to answer “${what}”`);
  }

  /** @param {{state: Uint8Array, agent: import("./seats.js").Seat}} details @param {() => Promise<boolean>} still @returns {Promise<number>} */
  async choose({ state, agent }, still) {
    const chance = chanceOf(state);
    if (agent.agent === "search") {
      const found = await this.search.run(state, chance, agent.seconds ?? 1, still);
      return (agent.strength ?? 10) < 10 ? drawn(found.actions, found.scores, agent.strength, chance) : found.action;
    }
    if (agent.agent !== "network") return this.kernel.choose(agent.agent, state, chance);
    const [{ actions, logits }] = this.judging.raw([state]);
    return drawn(actions, logits, agent.strength, chance);
  }

  /** @param {Uint8Array[]} states @param {() => Promise<boolean>} still @param {(progress: any) => void} told */
  async judgeAll(states, still, told) {
    for (let first = 0; first < states.length; first += BATCH) {
      told({ first, judgements: this.judging.judgements(states.slice(first, first + BATCH)) });
      if (!(await still())) break;
    }
    return states.length;
  }

  /** @param {{state: Uint8Array, seconds: number}} details @param {() => Promise<boolean>} still @param {(progress: any) => void} told */
  async searched({ state, seconds }, still, told) {
    return this.search.run(state, chanceOf(state), seconds, still, told);
  }

  /**
   * The network's best choices, each tried in the same worlds.
   * @param {{state: Uint8Array, seat: number, worlds: number, compared: number}} details
   * @param {() => Promise<boolean>} still
   * @returns {Promise<{action: number, share: number, values: number[]}[]>} win shares in each world, the best choice first
   */
  async hint({ state, seat, worlds, compared }, still) {
    const { kernel } = this, [{ actions, shares }] = this.judging.judgements([state]);
    const order = actions.map((_, i) => i).sort((a, b) => shares[b] - shares[a]).slice(0, compared);
    const possible = Array.from({ length: worlds }, (_, i) => kernel.world(state, seat, chanceOf(state, i)));
    const found = [];
    for (const i of order) {
      const after = await this.playedOn(possible.map((world) => kernel.after(world, actions[i])), seat, still);
      found.push({ action: actions[i], share: shares[i], values: this.judging.valuesFor(after, seat) });
    }
    return found.sort((a, b) => sum(b.values) - sum(a.values));
  }

  /** States played on by the network until a seat has had the others' answers and is to decide again. @param {Uint8Array[]} states @param {number} seat @param {() => Promise<boolean>} still */
  async playedOn(states, seat, still) {
    const { kernel } = this, now = [...states], answered = states.map(() => false);
    for (let step = 0; step < LONGEST && (await still()); step += 1) {
      const open = now.flatMap((state, i) => {
        const mover = kernel.mover(state);
        if (mover !== seat) answered[i] = true;
        return mover < 0 || (mover === seat && answered[i]) ? [] : [i];
      });
      if (!open.length) break;
      const judged = this.judging.raw(open.map((i) => kernel.seen(now[i], kernel.mover(now[i]))));
      open.forEach((i, place) => (now[i] = kernel.after(now[i], drawn(judged[place].actions, judged[place].logits, 10, 0n))));
    }
    return now;
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
