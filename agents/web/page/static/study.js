/** Study: every decision of a game can be made otherwise, and asked about. @module */
import { show as showDeal } from "./deal.js";
import { button, h, labelled, percent, replace, select } from "./dom.js";
import { giveHint } from "./hint.js";
import { lineOf } from "./line.js";
import { Lines } from "./lines.js";
import { lineOfLink, loader } from "./load.js";
import { HIDDEN } from "./log.js";
import { seatmark } from "./mark.js";
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
    /** Lines whose values are not compared. @type {Set<import("./line.js").Line>} */
    this.uncompared;
    /** @type {HTMLElement} */
    this.values;
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
    this.uncompared = new Set();
    this.values = h("div", { class: "stack tight" });
    const agents = agentsOf(this.game, this.line.kernel.players).filter(([name]) => name !== "search");
    this.helper = select(agents, agents.at(-1)?.[0] ?? "random", () => {}, { "aria-label": "Agent" });
    this.hintCard = h(
      "section",
      { class: "card stack tight", "aria-label": "Hint" },
      h("div", { class: "row" }, this.hint, button("Take back", () => this.goTo(this.at - 1)), h("span", { class: "row tight" }, this.helper, button("Let it decide", () => this.letPlay()))),
      this.hinted,
    );
    this.branchCard = h("section", { class: "card stack tight", "aria-label": "Lines" }, h("h2", {}, "Lines"), this.branches, this.values);
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
    const { branches } = this.lines, isOne = branches.length < 2 || !this.hasEvaluator;
    const items = branches.map((branch, place) => {
      const { line, from } = branch, name = this.nameOf(branch, place);
      const on = { change: () => this.compare(line) }, box = h("input", { type: "checkbox", checked: !this.uncompared.has(line), "aria-label": `Compare the line ${name}`, on });
      return h("li", { class: "row tight" }, isOne ? null : box, button(`${name} (${line.length}${from ? `, from ${from}` : ""})`, () => this.follow(place), { "aria-pressed": String(place === this.lines.now) }), place > 0 && button("✕", () => this.drop(place), { class: "quiet round", "aria-label": `Forget the line ${name}` }));
    });
    replace(this.branches, items);
    this.evaluateLines();
  }

  /** @param {import("./lines.js").Branch} branch @param {number} place */
  nameOf({ line, from }, place) {
    // The action may be a secret of another seat.
    const action = line.told(from, this.viewer);
    return place === 0 ? "The game" : `What if: ${action === null ? HIDDEN : this.game.text(action)}`;
  }

  /** Compare a line, or leave it out. @param {import("./line.js").Line} line */
  compare(line) {
    if (!this.uncompared.delete(line)) this.uncompared.add(line);
    this.evaluateLines();
  }

  showInsight() {
    super.showInsight();
    this.showValues();
  }

  /** The compared lines, each with its last place up to the shown step that the viewer may evaluate; none for a single one. */
  compared() {
    const found = this.lines.branches.flatMap((branch, number) => {
      const { line } = branch, name = this.nameOf(branch, number);
      const place = line.states.findLastIndex((_, one) => one <= this.at && (line.mover(one) < 0 || this.mayEvaluate(one, line)));
      return this.uncompared.has(line) || place < 0 ? [] : [{ name, line, place }];
    });
    return this.hasEvaluator && found.length > 1 ? found : [];
  }

  /** Win probabilities of the compared lines, side by side. */
  showValues() {
    const rows = this.compared().map((one) => ({ ...one, values: this.valuesAt(one.place, one.line) })), { players } = this.line.kernel;
    const seats = Array.from({ length: players }, (_, seat) => seat), best = seats.map((seat) => Math.max(...rows.map(({ values }) => values?.[seat] ?? 0)));
    const head = h("tr", {}, h("th", { scope: "col" }, "Line"), h("th", { class: "number", scope: "col" }, "Step"), seats.map((seat) => h("th", { class: "number", scope: "col" }, seatmark(seat))));
    const body = rows.map(({ name, place, values }) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number small" }, place), seats.map((seat) => {
      const text = values ? percent(values[seat]) : "…";
      return h("td", { class: "number small" }, values?.[seat] === best[seat] ? h("strong", {}, text) : text);
    })));
    replace(this.values, rows.length > 0 && [h("h3", {}, "Win probabilities side by side"), h("table", { class: "compared" }, h("thead", {}, head), h("tbody", {}, body)), h("p", { class: "small soft" }, "At the shown step, or before it where a line is shorter or the step is hidden from you.")]);
  }

  /** Ask the network about the compared places that it has not seen. */
  async evaluateLines() {
    this.showValues();
    const missing = this.compared().filter(({ line, place }) => line.mover(place) >= 0 && !this.estimated.has(line.states[place])), { kernel } = this.line;
    const states = missing.map(({ line, place }) => kernel.seen(line.states[place], line.mover(place)));
    const progress = (/** @type {{first: number, estimates: import("./insight.js").Estimate[]}} */ { first, estimates }) => {
      estimates.forEach((one, i) => this.estimated.set(missing[first + i].line.states[missing[first + i].place], one));
      this.showInsight();
    };
    try {
      if (states.length) await this.context.thinker.ask("evaluate", kernel, { states }, { signal: this.stopped.signal, progress });
    } catch (error) {
      if (!isStop(error)) replace(this.values, h("p", { class: "trouble small" }, /** @type {Error} */ (error).message));
    }
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
