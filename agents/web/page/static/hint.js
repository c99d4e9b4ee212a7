/** Hints: the best actions of a network, or those that a search tries most, in states that the seat cannot tell apart. @module */
import { h, percent, signed } from "./dom.js";
import { bar } from "./insight.js";

/** Sampled states of a hint, and actions that it compares. */
const [SAMPLES, COMPARED] = [16, 4];
/** Seconds of a search. */
const SECONDS = 2;

/** Mean and standard deviation. @param {number[]} values */
function spreadOf(values) {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, spread: Math.sqrt(squares / Math.max(1, values.length - 1)) };
}

/** Whether there are hints in a game of a number of players. @param {import("./games.js").Game} game @param {number} players */
export const canHint = (game, players) => game.hasEvaluator(players) || game.canSearch(players);

/**
 * Ask for a hint.
 * @param {import("./thinker.js").Thinker} thinker
 * @param {import("./games.js").Game} game
 * @param {{kernel: import("./kernel.js").Kernel, state: Uint8Array, seat: number, signal: AbortSignal}} decision state: redacted for the seat
 * @param {(shown: HTMLElement[]) => void} show called with each result as elements
 */
export async function giveHint(thinker, game, { kernel, state, seat, signal }, show) {
  show([h("p", { class: "soft small thinking" }, "Comparing in sampled states")]);
  if (game.hasEvaluator(kernel.players)) {
    show(compared(game, await thinker.ask("hint", kernel, { state, seat, samples: SAMPLES, compared: COMPARED }, { signal })));
  } else {
    const progress = (/** @type {import("./search.js").Found} */ found) => show(searched(game, found));
    progress(await thinker.ask("search", kernel, { state, seconds: SECONDS }, { signal, progress }));
  }
}

/** @param {import("./games.js").Game} game @param {{action: number, share: number, values: number[]}[]} found the best first */
function compared(game, found) {
  const rows = found.map(({ action, share, values }, i) => {
    const { mean, spread } = spreadOf(values);
    return bar(game.text(action), mean, `wins ${(100 * mean).toFixed(1)} ± ${(100 * spread).toFixed(1)} %, network ${percent(share)}`, i === 0 ? "best" : "");
  });
  const [first, second] = found, ahead = spreadOf(first.values.map((value, i) => value - (second?.values[i] ?? value)));
  const clear = ahead.mean > (2 * ahead.spread) / Math.sqrt(SAMPLES);
  const reason = clear ? "ahead of the next one beyond doubt" : "hardly to be told from the next one";
  return [
    h("p", {}, "Hint: ", h("strong", {}, game.text(first.action)), `, ${reason} (${signed(100 * ahead.mean, 1)}) in ${SAMPLES} sampled states.`),
    h("ol", { class: "bars" }, rows),
    h("p", { class: "soft small" }, "Win probability at this seat's next turn, the network playing for all: mean and spread over states that the seat cannot tell apart."),
  ];
}

/** A hint without a network: the action that a search visits most. @param {import("./games.js").Game} game @param {import("./search.js").Found} found */
function searched(game, { actions, visits, values, simulations, seconds }) {
  const order = actions.map((_, i) => i).sort((a, b) => visits[b] - visits[a]).slice(0, COMPARED);
  const rows = order.map((i, place) => bar(game.text(actions[i]), visits[i] / simulations, `${visits[i]} visits, value ${values[i].toFixed(2)}`, place ? "" : "best"));
  return [
    h("p", {}, "Hint: ", h("strong", {}, game.text(actions[order[0]])), `, tried most in ${simulations} simulations (${seconds.toFixed(1)} s), each in another sampled state.`),
    h("ol", { class: "bars" }, rows),
  ];
}
