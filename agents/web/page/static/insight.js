/** The estimates of a network and a search for one decision. @module */
import { bestOf, changeOf, isClose, meanOf } from "./account.js";
import { button, h, percent, replace } from "./dom.js";
import { decimal } from "./say.js";

/** Choices that are listed, at most. */
const LISTED = 6;

/**
 * @typedef {object} Estimate
 * @property {number[]} actions that are legal
 * @property {number[]} shares of them, their probabilities
 * @property {number[]} values win shares of all seats
 * @property {number[]} exact the same as the network has them: they need not add up to one
 */

/** A row with a bar as long as a share. @param {any} text @param {number} share @param {any} more @param {string[]} marks words on it */
export function bar(text, share, more, marks = []) {
  const fill = h("span", { class: "fill" });
  fill.style.width = `${Math.max(0.5, 100 * share)}%`;
  return h("li", { class: marks.length ? "bar chosen" : "bar" }, h("span", { class: "name" }, text, h("span", { class: "soft small" }, marks.map((mark) => [" · ", mark]))), h("span", { class: "numbers small" }, more), h("span", { class: "track", "aria-hidden": "true" }, fill));
}

/**
 * Actions by their values in sampled states, the best first, with the differences to it.
 * @param {import("./games.js").Game} game @param {import("./estimator.js").Compared} compared @param {[string, number | undefined][]} [named] words on actions
 */
export function comparison(game, { actions, values }, named = []) {
  const best = values[bestOf(values)], words = [["best", actions[values.indexOf(best)]], ...named];
  const found = actions.map((action, i) => ({
    action, mean: meanOf(values[i]).mean, loss: meanOf(values[i].map((value, w) => value - best[w])),
    marks: words.flatMap(([word, one]) => (one === action ? [String(word)] : [])),
  })).sort((a, b) => b.mean - a.mean);
  const rows = found.map(({ action, mean, loss, marks }) => {
    const behind = loss.mean < 0 && [", ", isClose(loss.mean, loss.error) ? "too close to call" : changeOf(loss.mean, loss.error)];
    return bar(game.text(action), mean, [`wins ${percent(mean, 1)}`, behind], marks);
  });
  return { element: h("ol", { class: "bars values" }, rows), found };
}

export class Insight {
  /**
   * @param {import("./games.js").Game} game
   * @param {() => void} search called by the button
   * @param {string} [label] of the button
   */
  constructor(game, search, label = "What does a search say?") {
    this.game = game;
    this.body = h("div", { class: "stack tight" });
    this.found = h("div", { class: "stack tight" });
    this.searching = button(label, search);
    this.element = h("section", { class: "card stack tight insight", "aria-label": "This decision" }, h("h2", {}, "This decision"), this.body, this.searching, this.found);
  }

  /** @param {any} text instead of an estimate, "" for an empty card @param {boolean} [search] whether a search is offered */
  say(text, search = false) {
    replace(this.body, text && h("p", { class: "soft small" }, text));
    this.searching.hidden = !search;
    this.searching.disabled = false;
  }

  /**
   * @param {Estimate} now
   * @param {number} seat who decides
   * @param {number | null} chosen
   */
  show(now, seat, chosen) {
    const { actions, shares, values } = now;
    const order = actions.map((_, i) => i).sort((a, b) => shares[b] - shares[a]);
    const listed = order.slice(0, LISTED), rank = order.findIndex((i) => actions[i] === chosen);
    if (rank >= LISTED) listed.push(order[rank]);
    const rows = listed.map((i) => bar(this.game.text(actions[i]), shares[i], percent(shares[i]), actions[i] === chosen ? ["chosen"] : []));
    replace(this.body, h("p", { class: "small" }, `Player ${seat} wins with ${percent(values[seat])}`), h("ol", { class: "bars" }, rows));
    this.searching.hidden = actions.length < 2;
  }

  /** Remove the results of searches and of the server, since another decision is shown. */
  clear() {
    replace(this.found);
    this.searching.disabled = false;
  }

  /**
   * Show the estimate of a server's agent.
   * @param {{agent: string, actions: [number, number][], values: number[] | null}} advice actions and their probabilities, the best first
   * @param {number} seat who decides
   * @param {number | null} chosen
   */
  showAdvice({ agent, actions, values }, seat, chosen) {
    const rows = actions.slice(0, LISTED).map(([action, share]) => bar(this.game.text(action), share, percent(share), action === chosen ? ["chosen"] : []));
    replace(this.found, h("h3", {}, agent), values && h("p", { class: "small" }, `Player ${seat} wins with ${percent(values[seat])}`), h("ol", { class: "bars" }, rows));
  }

  /** @param {{actions: number[], visits: number[], values: number[], simulations: number, seconds: number}} found @param {number | null} chosen */
  showSearch({ actions, visits, values, simulations, seconds }, chosen) {
    const order = actions.map((_, i) => i).sort((a, b) => visits[b] - visits[a]).slice(0, LISTED);
    const rows = order.map((i) => bar(this.game.text(actions[i]), visits[i] / Math.max(1, simulations), `${visits[i]} visits, ${percent(values[i])}`, actions[i] === chosen ? ["chosen"] : []));
    replace(this.found, h("h3", {}, `Search: ${simulations} simulations in ${decimal(seconds)} s`), h("ol", { class: "bars" }, rows));
    this.searching.disabled = false;
  }
}
