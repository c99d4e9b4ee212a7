/** Study: every decision of a game can be made otherwise, and asked about. @module */
import { show as showDeal } from "./deal.js";
import { button, h, labelled, replace, select } from "./dom.js";
import { giveHint } from "./hint.js";
import { lineOf } from "./line.js";
import { Lines } from "./lines.js";
import { lineOfLink, loader } from "./load.js";
import { HIDDEN } from "./log.js";
import { Review } from "./review.js";
import { agentsOf } from "./seats.js";
import { linkOf, newSeed, readSeed } from "./share.js";
import { isStop } from "./thinker.js";

/** @param {import("./app.js").Context} context @returns {Promise<import("./app.js").Screen>} */
export async function show(context) {
  if (context.query.has("deal")) return showDeal(context);
  if (context.query.has("sampled")) return (await import("./sampled.js")).show(context);
  if (!context.query.has("g")) return { element: await landing(context), title: "Study" };
  const { game, line, at, view } = await lineOfLink(context, context.query);
  return new Study(context, game, line, { at, view, screen: "study" }).screen();
}

/** @param {import("./app.js").Context} context */
async function landing(context) {
  const game = await context.game(context.chosen);
  const seed = h("input", { type: "text", inputmode: "numeric", autocomplete: "off", value: String(newSeed()) });
  const players = select(game.seats.map((count) => [String(count), String(count)]), String(game.seats[0]), () => {});
  const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  const begin = () => {
    try {
      context.go(linkOf(lineOf(game.kernel(Number(players.value)), readSeed(seed.value), []), "study").slice(1));
    } catch (error) {
      trouble.textContent = /** @type {Error} */ (error).message;
      trouble.hidden = false;
    }
  };
  return h(
    "div",
    { class: "narrow stack" },
    h("h1", {}, "Study"),
    h("p", { class: "soft" }, "Take decisions back, try others, and ask a network or a search about each of them."),
    h(
      "div",
      { class: "columns" },
      loader(context, "study"),
      h(
        "div",
        { class: "stack" },
        h("section", { class: "card stack" }, h("h2", {}, "Deal of the day"), h("p", { class: "small soft" }, "All people get the same deal from the same seat: play it, then compare with the agents of the ladder."), h("a", { class: "button primary", href: "#study?deal=today" }, "Play today's deal")),
        h("section", { class: "card stack" }, h("h2", {}, "A new game"), labelled("Players", players), labelled("Seed of the game", seed), h("div", { class: "row" }, button("Begin", begin)), trouble),
      ),
    ),
  );
}

export class Study extends Review {
  /** @param {ConstructorParameters<typeof Review>} review */
  constructor(...review) {
    super(...review);
    // Made by `build`.
    /** @type {HTMLDivElement} */
    this.hinted;
    /** @type {HTMLOListElement} */
    this.branches;
    /** @type {Lines} */
    this.lines;
    /** @type {HTMLButtonElement} */
    this.hint;
    /** @type {HTMLSelectElement} */
    this.helper;
  }

  build() {
    this.lines = new Lines(this.line);
    this.hinted = h("div", { class: "stack tight" });
    this.hint = button("Hint", () => this.giveHint());
    /** Whether a hint is being computed. */
    this.hinting = false;
    this.branches = h("ol", { class: "lines stack tight" });
    const agents = agentsOf(this.game, this.line.kernel.players).filter(([name]) => name !== "search");
    this.helper = select(agents, agents.at(-1)?.[0] ?? "random", () => {}, { "aria-label": "Agent" });
    this.hintCard = h(
      "section",
      { class: "card stack tight", "aria-label": "Hint" },
      h("div", { class: "row" }, this.hint, button("Take back", () => this.goTo(this.at - 1)), h("span", { class: "row tight" }, this.helper, button("Let it decide", () => this.letPlay()))),
      this.hinted,
    );
    this.branchCard = h("section", { class: "card stack tight", "aria-label": "Lines" }, h("h2", {}, "Lines"), this.branches);
    super.build();
  }

  panels() {
    const { table } = this;
    return [this.hintCard, table.actions.element, this.branchCard, this.insight.element, this.curve.element];
  }

  offered() {
    const { line, at, viewer } = this, mover = line.mover(at);
    return mover < 0 || (viewer >= 0 && viewer !== mover) ? [] : line.kernel.legal(line.states[at]);
  }

  /** Whether there is a choice here that the shown seat may be told about. */
  mayHint() {
    return !this.hinting && this.offered().length > 1 && (this.hasEvaluator || this.maySearch());
  }

  show() {
    replace(this.hinted);
    this.hint.disabled = !this.mayHint();
    this.line = this.lines.line;
    super.show();
    const items = this.lines.branches.map(({ line, from }, place) => {
      // The action may be a secret of another seat.
      const action = line.told(from, this.viewer);
      const name = place === 0 ? "The game" : `What if: ${action === null ? HIDDEN : this.game.text(action)}`;
      return h("li", { class: "row tight" }, button(`${name} (${line.length}${from ? `, from ${from}` : ""})`, () => this.follow(place), { "aria-pressed": String(place === this.lines.now) }), place > 0 && button("✕", () => this.drop(place), { class: "quiet round", "aria-label": `Forget the line ${name}` }));
    });
    replace(this.branches, items);
  }

  /** @param {number} action */
  chosen(action) {
    this.lines.play(this.at, action);
    this.line = this.lines.line;
    this.at += 1;
    this.lineChanged();
  }

  /** @param {number} place */
  follow(place) {
    const { from } = this.lines.branches[place];
    this.lines.now = place;
    this.line = this.lines.line;
    this.at = place === 0 ? Math.min(this.at, this.line.length) : from + 1;
    this.lineChanged();
  }

  /** @param {number} place */
  drop(place) {
    this.lines.drop(place);
    this.line = this.lines.line;
    this.at = Math.min(this.at, this.line.length);
    this.lineChanged();
  }

  /** Let an agent play the shown step from the redacted state. */
  async letPlay() {
    const { line, at, stopped } = this, { kernel } = line, seat = line.mover(at);
    if (seat < 0) return;
    const details = { state: kernel.seen(line.states[at], seat), agent: { agent: this.helper.value } };
    try {
      const { action } = await this.context.thinker.ask("choose", kernel, details, { signal: stopped.signal });
      if (this.line === line && this.at === at) this.chosen(action);
    } catch (error) {
      if (!isStop(error)) this.insight.say(/** @type {Error} */ (error).message);
    }
  }

  /** Show the best actions and their values in sampled states. */
  async giveHint() {
    const { line, at, stopped, shown } = this, { kernel } = line, seat = line.mover(at);
    const here = () => this.shown === shown;
    this.hinting = this.hint.disabled = true;
    const decision = { kernel, state: kernel.seen(line.states[at], seat), signal: stopped.signal };
    try {
      await giveHint(this.context.thinker, this.game, decision, (found) => here() && replace(this.hinted, found));
    } catch (error) {
      if (!isStop(error) && here()) replace(this.hinted, h("p", { class: "trouble" }, /** @type {Error} */ (error).message));
    }
    this.hinting = false;
    // Another step, of another player, may be shown by now.
    this.hint.disabled = !this.mayHint();
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    if (event.key === "Backspace") this.goTo(this.at - 1);
    else if (event.key === "h" && !event.repeat && !event.ctrlKey && !event.metaKey && this.mayHint()) this.giveHint();
    else if (this.table.actions.digit(event)) event.preventDefault();
    else super.keyed(event);
  }
}
