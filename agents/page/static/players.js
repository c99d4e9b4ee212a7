/** The players of one table: what the worker answers with. @module */
import { Judge } from "./judge.js";

/** A number in 0..2^63-1 out of some others, for the chance of one decision. @param {...(bigint | number)} numbers @returns {bigint} */
export function mixedSeed(...numbers) {
  let key = 0x9e3779b97f4a7c15n;
  for (const number of numbers) {
    key = BigInt.asUintN(64, (key ^ BigInt(number)) * 0xbf58476d1ce4e5b9n);
    key ^= key >> 29n;
  }
  return key >> 1n;
}

export class Players {
  /** @param {import("./games.js").Game} game @param {number} count */
  constructor(game, count) {
    this.game = game;
    this.kernel = game.kernel(count);
    this.judge = new Judge(game, this.kernel);
  }

  /**
   * @param {string} what
   * @param {any} details
   * @param {() => Promise<boolean>} still whether somebody waits for the answer
   * @param {(progress: any) => void} told
   */
  async answer(what, details, still, told) {
    switch (what) {
      case "choose":
        return { action: await this.choose(details, still) };
      case "judge":
        return this.judgeAll(details.states, still, told);
      default:
        throw new Error(`nobody knows how to answer “${what}”`);
    }
  }

  /** @param {{state: Uint8Array, seat: number, agent: import("./seats.js").Seat, seed: bigint, at: number}} details @param {() => Promise<boolean>} still */
  async choose({ state, seat, agent, seed, at }, still) {
    return this.kernel.choose(agent.agent, state, mixedSeed(seed, at, seat));
  }

  async judgeAll() {
    return null;
  }
}
