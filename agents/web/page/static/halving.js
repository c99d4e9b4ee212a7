/** Sequential halving: which of a root's actions a search tries, and how often (as `agents/search/halving.py`). @module */

/** Actions that are considered at a root, at most. */
const CONSIDERED = 16;

export class Halving {
  /**
   * @param {number[]} actions that are legal
   * @param {ArrayLike<number>} logits by action
   * @param {number} simulations
   */
  constructor(actions, logits, simulations) {
    const order = [...actions].sort((a, b) => logits[b] - logits[a] || a - b);
    this.candidates = order.slice(0, Math.min(CONSIDERED, simulations));
    this.phases = Math.max(1, Math.ceil(Math.log2(Math.max(2, this.candidates.length))));
    this.simulations = simulations;
    this.left = this.phaseLength();
    this.tried = new Map(this.candidates.map((action) => [action, 0]));
    this.over = 0;
  }

  /** Simulations of a phase, the same number for each candidate. */
  phaseLength() {
    const { candidates, phases, simulations } = this;
    return Math.max(1, Math.floor(simulations / (phases * candidates.length))) * candidates.length;
  }

  /** The visits of an action. @param {number} action */
  visits(action) {
    return this.tried.get(action) ?? 0;
  }

  /** The root's actions of the next simulations. @param {number} count @param {ArrayLike<number>} scores by action @param {number} spent share of the time @returns {number[]} */
  next(count, scores, spent) {
    const { candidates } = this, late = spent * this.phases >= this.over + 1;
    if ((this.left <= 0 || late) && candidates.length > 2) {
      candidates.sort((a, b) => scores[b] - scores[a]);
      candidates.length = Math.ceil(candidates.length / 2);
      this.left = this.phaseLength();
      this.over += 1;
    }
    this.left -= count;
    return Array.from({ length: count }, () => {
      // A phase may end in the middle of a round: candidates with fewer visits come first.
      const action = candidates.reduce((least, one) => (this.visits(one) < this.visits(least) ? one : least));
      this.tried.set(action, this.visits(action) + 1);
      return action;
    });
  }

  /** The choice: the best of the candidates that were tried as often as the others, but for the last round. @param {ArrayLike<number>} scores @param {ArrayLike<number>} visits */
  best(scores, visits) {
    const most = Math.max(...this.candidates.map((action) => visits[action]));
    const tried = this.candidates.filter((action) => visits[action] >= Math.max(1, most - 1));
    return tried.reduce((best, action) => (scores[action] > scores[best] ? action : best), tried[0] ?? this.candidates[0]);
  }
}
