/** Replay: a game from a file or a link, and its review, which separates skill from luck. @module */
import { changeOf } from "./account.js";
import { archiveOf, gameLink } from "./archive.js";
import { button, h, percent, replace, signed } from "./dom.js";
import { file } from "./games.js";
import { comparison } from "./insight.js";
import { lineOfLink, loader } from "./load.js";
import { seatmark } from "./mark.js";
import { Review } from "./review.js";
import { EFFORTS, Reviewer } from "./reviewer.js";
import { namedLink } from "./share.js";
import { isStop } from "./thinker.js";

/** Marked actions on the board, at least; milliseconds between two updates. */
const [MARKED, PAUSE] = [3, 150];

/** @param {import("./app.js").Context} context @returns {Promise<import("./app.js").Screen>} */
export async function show(context) {
  if (!context.query.has("g")) return { element: await landing(context), title: "Replay" };
  const { game, line, at, view, shared: { by } } = await lineOfLink(context, context.query);
  return new Replay(context, game, line, { at, view, by, screen: "replay" }).screen();
}

/** @param {import("./app.js").Context} context */
async function landing(context) {
  const entry = context.entries.find(({ name }) => name === context.chosen);
  const samples = entry?.samples ? await (await file(entry.samples)).json() : [];
  return h(
    "div",
    { class: "narrow stack" },
    h("h1", {}, "Replay a game"),
    h("p", { class: "soft" }, "Step through any game: the view of each seat, or the whole state. Arrow keys move, Home and End go to its ends."),
    h("div", { class: "columns" }, loader(context, "replay"), h("div", { class: "stack" }, samples.length > 0 && sampleGames(samples), archiveOf(context.entries))),
  );
}

/** Recorded games of published players. @param {import("./data.d.ts").Sample[]} samples */
function sampleGames(samples) {
  const items = samples.map(({ agents, scores, link }) => h("li", {}, gameLink(`${agents.length} players`, namedLink(link, agents), agents, scores)));
  return h("section", { class: "card stack tight samples", "aria-label": "Sample games" }, h("h2", {}, "Sample games"), h("ul", { class: "stack tight" }, items));
}

class Replay extends Review {
  /** @param {ConstructorParameters<typeof Review>} review */
  constructor(...review) {
    super(...review);
    // Made by `build`.
    /** The place that the visitor is asked about, the view before; after the answer the choice and the compared actions. @type {{at: number, viewer: number, pick?: number, compared?: import("./estimator.js").Compared} | null} */
    this.question;
    /** @type {boolean} */
    this.halted;
    /** @type {HTMLElement} */
    this.summary;
    /** @type {HTMLElement} */
    this.progress;
    /** @type {HTMLElement} */
    this.totals;
    /** @type {HTMLElement} */
    this.costly;
    /** @type {HTMLElement} */
    this.overview;
    /** @type {HTMLElement} */
    this.asked;
    /** @type {HTMLElement} */
    this.judged;
    /** @type {HTMLButtonElement} */
    this.control;
    /** @type {HTMLButtonElement} */
    this.mistakes;
  }

  build() {
    const { line } = this;
    this.reviewer = this.hasEvaluator && line.isOver ? new Reviewer(line, () => this.at, () => this.showSoon()) : null;
    this.question = null;
    this.halted = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.showing = undefined;
    this.progress = h("span", { class: "small soft" });
    this.control = button("Stop", () => this.run(this.halted), { class: "quiet" });
    this.mistakes = button("Next mistake", () => this.nextMistake());
    this.totals = h("tbody");
    this.costly = h("ol", { class: "costly" });
    const head = ["Seat", "Accuracy", "Start", "Skill", "Luck", "Result"].map((text, i) => h("th", { class: i ? "number" : null, scope: "col" }, i ? text : h("span", { class: "unseen" }, text)));
    this.overview = h(
      "div",
      { class: "stack tight" },
      h("h2", {}, "Review"),
      h("div", { class: "row" }, this.progress, this.control),
      h("table", {}, h("thead", {}, h("tr", {}, head)), this.totals),
      h("p", { class: "small soft" }, "In percent of a win: start + skill + luck = result. Skill is what own choices lost against the best ones, from what the seat knew; luck is everything else."),
      h("div", { class: "row" }, this.mistakes),
      h("h3", {}, "What would you do?"),
      this.costly,
    );
    this.asked = h("div", { class: "stack tight" });
    this.summary = h("section", { class: "card summary", "aria-label": "Review", hidden: !this.reviewer }, this.overview, this.asked);
    this.judged = h("div", { class: "stack tight judged" });
    super.build();
    this.insight.body.after(this.judged);
  }

  panels() {
    const { curve, insight, summary, table } = this;
    return [summary, table.actions.element, curve.element, insight.element];
  }

  toolButtons() {
    const study = h("a", { class: "button", href: "#study" }, "Study");
    study.addEventListener("click", () => (study.href = this.link("study")));
    return [...super.toolButtons(), study];
  }

  screen() {
    const screen = super.screen(), { leave } = screen;
    this.run(true);
    return { ...screen, leave: () => (leave(), this.reviewer?.stop()) };
  }

  /** Start or stop the review. @param {boolean} on */
  run(on) {
    this.halted = !on;
    if (on) this.reviewer?.start();
    else this.reviewer?.stop();
    this.showInsight();
  }

  /** Results come fast: show them together. */
  showSoon() {
    this.showing ??= setTimeout(() => {
      this.showing = undefined;
      if (!this.stopped.signal.aborted) this.showInsight();
    }, PAUSE);
  }

  /** Whether a question waits for an answer. */
  get isAsking() {
    return this.question !== null && !this.question.compared;
  }

  visible() {
    return this.isAsking ? this.line.upTo(this.at) : this.line;
  }

  offered() {
    return this.isAsking ? this.line.kernel.legal(this.line.states[this.at]) : [];
  }

  /** @param {number} place */
  goTo(place) {
    if (place !== this.question?.at) this.leaveQuestion();
    super.goTo(place);
    if (!this.halted) this.reviewer?.start();
  }

  /** @param {number} viewer */
  look(viewer) {
    this.question = null;
    super.look(viewer);
  }

  showInsight() {
    super.showInsight();
    if (!this.reviewer) return;
    const { reviewer: { account }, question, isAsking, at, line } = this;
    for (const tells of [this.insight.element, this.curve.element, this.evaluation]) tells.hidden ||= isAsking;
    if (!isAsking) this.insight.element.hidden = false;
    this.overview.hidden = question !== null;
    this.asked.hidden = !question;
    this.summary.classList.toggle("asking", question !== null);
    this.curve.showChanges(account.changes((place) => this.mayEvaluate(place)), at, line.rounds());
    this.showSummary();
    this.showStep(!isAsking && this.mayEvaluate(at) ? account.steps[at] : undefined);
  }

  showSummary() {
    const { account, progress: [done, all], isRunning, message } = /** @type {Reviewer} */ (this.reviewer);
    replace(this.progress, message || (isRunning ? `Compared ${done} of ${all} choices …` : `${done} of ${all} choices are compared.`));
    this.control.hidden = !isRunning && !this.halted;
    replace(this.control, isRunning ? "Stop" : "Resume");
    replace(this.totals, Array.from({ length: account.players }, (_, seat) => {
      const { start, skill, error, luck, result, accuracy } = account.seat(seat);
      const cells = [percent(accuracy), (100 * start).toFixed(0), `${signed(100 * skill, 0)} ± ${(100 * error).toFixed(0)}`, signed(100 * luck, 0), (100 * result).toFixed(0)];
      return h("tr", { data: { start, skill, luck, result } }, h("th", { scope: "row" }, seatmark(seat)), cells.map((text) => h("td", { class: "number" }, text)));
    }));
    const steps = this.costliest(), shown = steps.map(({ at }) => at).join();
    if (!steps.length) replace(this.costly, h("li", { class: "soft small" }, isRunning ? "Not yet known" : "No step clearly lost anything."));
    // Buttons stay, and so does the focus.
    else if (this.costly.dataset.shown !== shown) replace(this.costly, steps.map(({ at, seat }) => h("li", {}, button(`Step ${at + 1}: player ${seat}`, () => this.ask(at)))));
    this.costly.dataset.shown = shown;
  }

  /** The costliest steps of the shown seat, or of all. */
  costliest() {
    return /** @type {Reviewer} */ (this.reviewer).account.costliest().filter(({ at }) => this.mayEvaluate(at));
  }

  /** The values of the compared actions, in the list and on the board. @param {import("./account.js").Step | undefined} step */
  showStep(step) {
    const { line, at, question } = this, compared = question?.compared ?? step?.compared, shown = step && compared && compared.actions.length > 1;
    if (!shown) {
      replace(this.judged);
      this.table.board.mark([]);
      return;
    }
    const { element, found } = comparison(this.game, compared, [["played", line.actions[at]], ["yours", question?.pick]]);
    this.table.board.mark(found.filter(({ marks }, i) => i < MARKED || marks.length).map(({ action, mean, marks }) => ({ action, text: percent(mean), kind: marks.join(" ") })));
    const { skill, error, close, mistake } = step, verdict = close ? ", too close to call" : mistake && ", a mistake";
    replace(this.judged, h("p", { class: "small" }, "Skill ", h("strong", { class: mistake ? "worse" : null }, changeOf(skill, error)), verdict), h("h3", {}, `Values in ${compared.values[0].length} sampled states`), element);
  }

  nextMistake() {
    const { steps } = /** @type {Reviewer} */ (this.reviewer).account, { length } = steps;
    const found = steps.map((_, i) => (this.at + 1 + i) % length).find((at) => steps[at]?.mistake && this.mayEvaluate(at));
    if (found !== undefined) {
      this.goTo(found);
      return;
    }
    replace(this.mistakes, this.reviewer?.isRunning ? "Not yet known" : "No mistake");
    setTimeout(() => replace(this.mistakes, "Next mistake"), 2000);
  }

  /** Ask the visitor about a step, in the view of its player. @param {number} at */
  ask(at) {
    const seat = this.line.mover(at);
    this.question = { at, viewer: this.question?.viewer ?? this.viewer };
    this.viewer = seat;
    this.say("What would you do?", [h("p", {}, `Player ${seat} decides at step ${at + 1}. Choose on the board or in the list; you see what that seat knew.`)], button("Show the answer", () => this.chosen()));
    this.goTo(at);
    this.asked.querySelector("h2")?.focus();
  }

  /** Show a card instead of the review. @param {string} title @param {any[]} content @param {any} more a button */
  say(title, content, more) {
    replace(this.asked, h("h2", { tabindex: "-1" }, title), content, h("div", { class: "row" }, more, button("Back to the replay", () => this.back())));
  }

  /** Compare the best action, the one that was played and the visitor's. @param {number} [pick] none to see the answer */
  async chosen(pick) {
    const { question, line, at, reviewer, stopped } = this, step = reviewer?.account.steps[at];
    if (!question || !step) return;
    const tried = [...new Set([step.best, line.actions[at], pick ?? step.best])];
    this.say("What would you do?", [h("p", { class: "soft small thinking" }, "Comparing in sampled states")], null);
    try {
      const details = { ...EFFORTS[1], state: line.kernel.seen(line.states[at], step.seat), tried };
      const compared = await this.context.thinker.ask("compare", line.kernel, details, { signal: stopped.signal });
      if (this.question !== question) return;
      Object.assign(question, { pick, compared });
      const steps = this.costliest(), next = steps[steps.indexOf(step) + 1];
      const { element } = comparison(this.game, compared, [["played", line.actions[at]], ["yours", pick]]);
      const from = h("p", { class: "small soft" }, `In ${compared.values[0].length} states that the seat could not tell apart, the network playing for all.`);
      this.say("The answer", [element, from], next && button("Next question", () => this.ask(next.at), { class: "primary" }));
      this.show();
      this.asked.querySelector("h2")?.focus();
    } catch (error) {
      if (!isStop(error) && this.question === question) this.say("The answer", [h("p", { class: "trouble" }, /** @type {Error} */ (error).message)], null);
    }
  }

  leaveQuestion() {
    if (this.question) this.viewer = this.question.viewer;
    this.question = null;
  }

  /** From a question to the replay. */
  back() {
    this.leaveQuestion();
    this.show();
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    if (event.key === "Escape" && this.question) this.back();
    else if (this.isAsking && this.table.actions.digit(event)) event.preventDefault();
    else super.keyed(event);
  }
}
