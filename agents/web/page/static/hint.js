/** Hints: the best actions of a network, or those that a search tries most, in states that the seat cannot tell apart. @module */
import { isClose } from "./account.js";
import { h, signed } from "./dom.js";
import { bar, comparison } from "./insight.js";
import { decimal } from "./say.js";

/** A hint, and the actions of one by a search. */
const [HINT, COMPARED] = [{ samples: 16, candidates: 4, plies: 16 }, 4];
/** Seconds of a search. */
const SECONDS = 2;

/** Whether there are hints in a game of a number of players. @param {import("./games.js").Game} game @param {number} players */
export const canHint = (game, players) => game.hasEvaluator(players) || game.canSearch(players);

/**
 * Ask for a hint.
 * @param {import("./thinker.js").Thinker} thinker
 * @param {import("./games.js").Game} game
 * @param {{kernel: import("./kernel.js").Kernel, state: Uint8Array, signal: AbortSignal}} decision state: redacted for the player to move
 * @param {(shown: HTMLElement[]) => void} show called with each result as elements
 */
export async function giveHint(thinker, game, { kernel, state, signal }, show) {
  show([h("p", { class: "soft small thinking" }, "Comparing in sampled states")]);
  if (game.hasEvaluator(kernel.players)) {
    show(compared(game, await thinker.ask("compare", kernel, { ...HINT, state }, { signal })));
  } else {
    const progress = (/** @type {import("./search.js").Found} */ found) => show(searched(game, found));
    progress(await thinker.ask("search", kernel, { state, seconds: SECONDS }, { signal, progress }));
  }
}

/** @param {import("./games.js").Game} game @param {import("./estimator.js").Compared} found */
function compared(game, found) {
  const { element, found: [first, second] } = comparison(game, found), { mean, error } = second?.loss ?? { mean: 0, error: 0 };
  const reason = mean < 0 && !isClose(mean, error) ? "ahead of the next one beyond doubt" : "hardly to be told from the next one";
  return [
    h("p", {}, "Hint: ", h("strong", {}, game.text(first.action)), `, ${reason} (${signed(-100 * mean, 1)}) in ${HINT.samples} sampled states.`),
    element,
    h("p", { class: "soft small" }, "Win probability at a later turn of this seat, the network playing for all: means over states that the seat cannot tell apart, with standard errors."),
  ];
}

/** A hint without a network: the action that a search visits most. @param {import("./games.js").Game} game @param {import("./search.js").Found} found */
function searched(game, { actions, visits, values, simulations, seconds }) {
  const order = actions.map((_, i) => i).sort((a, b) => visits[b] - visits[a]).slice(0, COMPARED);
  const rows = order.map((i, place) => bar(game.text(actions[i]), visits[i] / simulations, `${visits[i]} visits, value ${decimal(values[i], 2)}`, place ? [] : ["best"]));
  return [
    h("p", {}, "Hint: ", h("strong", {}, game.text(actions[order[0]])), `, tried most in ${simulations} simulations (${decimal(seconds)} s), each in another sampled state.`),
    h("ol", { class: "bars" }, rows),
  ];
}
