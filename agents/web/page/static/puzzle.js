/** Puzzles: positions of recorded games in which one action is clearly the best; another one each day. @module */
import { isClose, meanOf } from "./account.js";
import { announce, h, percent, replace } from "./dom.js";
import { file } from "./games.js";
import { comparison } from "./insight.js";
import { Refused } from "./line.js";
import { lineOfLink } from "./load.js";
import { EFFORTS } from "./reviewer.js";
import { decimal } from "./say.js";
import { linkOf } from "./share.js";
import { Table } from "./table.js";
import { isStop } from "./thinker.js";

/** Milliseconds of a day. */
const DAY = 86_400_000;
/** The network's most probable actions next to a best one that was found. */
const OTHERS = 3;

/** @param {import("./app.js").Context} context @returns {Promise<import("./app.js").Screen>} */
export async function show(context) {
  const { puzzles: named, name, title } = /** @type {import("./data.d.ts").Entry} */ (context.entries.find((one) => one.name === context.chosen));
  if (!named) throw new Refused(`${title} has no puzzles`);
  /** @type {import("./data.d.ts").PuzzleData[]} */
  const puzzles = await (await file(named)).json(), asked = context.query.get("n") ?? "";
  // The same one everywhere on earth at the same time.
  const today = Math.floor(Date.now() / DAY) % puzzles.length, number = /^\d{1,4}$/.test(asked) ? Number(asked) % puzzles.length : today;
  const { game, line, view } = await lineOfLink(context, new URLSearchParams(puzzles[number].link.split("?")[1]));
  const next = `puzzle?game=${name}&n=${(number + 1) % puzzles.length}`;
  return new Puzzle(context, game, line, view, puzzles[number], { text: number === today ? "The puzzle of the day" : `Puzzle ${number + 1} of ${puzzles.length}`, next }).screen();
}

class Puzzle {
  /**
   * @param {import("./app.js").Context} context
   * @param {import("./games.js").Game} game
   * @param {import("./line.js").Line} line up to the position
   * @param {number} seat who decides
   * @param {import("./data.d.ts").PuzzleData} data
   * @param {{text: string, next: string}} named its name, and the address of the next one
   */
  constructor(context, game, line, seat, data, { text, next }) {
    this.context = context;
    this.game = game;
    this.line = line;
    this.seat = seat;
    this.data = data;
    this.stopped = new AbortController();
    /** Whether an action has been chosen. */
    this.isAnswered = false;
    this.table = new Table(game, [], (action) => this.chosen(action));
    this.table.element.classList.add("learning");
    this.said = h("div", { class: "stack tight", role: "status" });
    this.more = h("div", { class: "row" }, h("a", { class: "button", href: `#${next}` }, "Another puzzle"));
    this.name = h("h2", { class: "soft small", tabindex: "-1" }, text);
    this.table.seatbar.after(h("section", { class: "card stack tight lesson puzzle", "aria-label": "What would you do?" }, this.name, this.said, this.more));
    replace(this.table.heading, "What would you do?", h("span", { class: "soft" }, " · ", game.phase(line.kernel, line.last)));
    replace(this.table.tools, this.table.board.zoomed, h("a", { class: "button quiet", href: "#play" }, "Leave"));
  }

  screen() {
    const { seat, said, table } = this;
    replace(said, h("p", {}, `You are player ${seat}. One action is clearly better than all others: choose it on the board or in the list.`));
    this.lay();
    return {
      element: table.element,
      title: "What would you do?",
      leave: () => this.stopped.abort(),
      keyed: (/** @type {KeyboardEvent} */ event) => {
        if (!this.isAnswered && table.actions.digit(event)) event.preventDefault();
      },
    };
  }

  lay() {
    const { line, seat, table } = this;
    table.show(line, { viewer: seat, actions: this.isAnswered ? [] : line.kernel.legal(line.last) });
  }

  /** Tell the values of the chosen and the best action. @param {number} pick */
  async chosen(pick) {
    if (this.isAnswered) return;
    this.isAnswered = true;
    const { line, seat, data: { best, lead, error }, said, more, game, stopped } = this, { kernel } = line;
    this.lay();
    // The answer stands above the board.
    scrollTo(0, 0);
    this.name.focus({ preventScroll: true });
    const verdict = h("p", {}, h("strong", {}, pick === best ? "That is the best action." : `You chose: ${game.text(pick)}.`));
    const clear = h("p", { class: "small soft" }, `The best action wins ${decimal(100 * lead)} ± ${decimal(100 * error)} % more often than the second one.`);
    replace(said, verdict, h("p", { class: "soft small thinking" }, "Comparing in sampled states"));
    more.append(h("a", { class: "button quiet", href: linkOf(line, "study", { at: line.length, view: seat }) }, "Study"));
    try {
      // The best action next to others: values of one alone are not computed.
      const tried = pick === best ? undefined : [best, pick];
      const details = { ...EFFORTS[1], state: kernel.seen(line.last, seat), tried, chosen: best, candidates: OTHERS };
      /** @type {import("./estimator.js").Compared} */
      const compared = await this.context.thinker.ask("compare", kernel, details, { signal: stopped.signal });
      replace(said, verdict, this.told(compared, pick), clear);
    } catch (failure) {
      if (isStop(failure)) return;
      replace(said, verdict, pick === best ? null : h("p", {}, `Best is: ${game.text(best)}.`), clear, h("p", { class: "trouble small" }, /** @type {Error} */ (failure).message));
    }
    announce(said.textContent ?? "");
  }

  /** The values of the chosen and the best action, in sentences and as bars. @param {import("./estimator.js").Compared} compared @param {number} pick */
  told(compared, pick) {
    const { game, table, data: { best } } = this, { actions, values } = compared, [first, own] = [best, pick].map((action) => values[actions.indexOf(action)]);
    const wins = (/** @type {number[]} */ some) => percent(meanOf(some).mean), { mean, error } = meanOf(own.map((value, w) => value - first[w]));
    const close = isClose(mean, error) ? "Here that is too close to call." : "";
    const text = pick === best ? `It wins with ${wins(first)}.` : `It wins with ${wins(own)}; the best action, “${game.text(best)}”, wins with ${wins(first)}. ${close}`.trim();
    const { element, found } = comparison(game, compared, [["yours", pick]]);
    table.board.mark(found.filter(({ marks }) => marks.length).map(({ action, mean: share, marks }) => ({ action, text: percent(share), kind: marks.join(" ") })));
    return [h("p", {}, text), element];
  }
}
