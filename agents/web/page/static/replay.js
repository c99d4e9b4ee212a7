/** Replay: a game from a file or a link, and its review, which separates skill from luck. @module */
import { isClose, meanOf } from "./account.js";
import { announce, button, h, percent, replace, signed } from "./dom.js";
import { comparison } from "./insight.js";
import { lineOfLink, loader } from "./load.js";
import { seatmark } from "./mark.js";
import { Review } from "./review.js";
import { EFFORTS, Reviewer } from "./reviewer.js";
import { isStop } from "./thinker.js";

/** Marked actions on the board, at least; milliseconds between two updates. */
const [MARKED, PAUSE] = [3, 150];

/** A change of a win probability with its standard error. @param {number} change @param {number} error */
const change = (change, error) => `${signed(100 * change, 1)} ± ${(100 * error).toFixed(1)} %`;

/** @param {import("./app.js").Context} context @returns {Promise<import("./app.js").Screen>} */
export async function show(context) {
  if (!context.query.has("g")) return { element: landing(context), title: "Replay" };
  const { game, line, at, view } = await lineOfLink(context, context.query);
  return new Replay(context, game, line, { at, view, screen: "replay" }).screen();
}

/** @param {import("./app.js").Context} context */
function landing(context) {
  return h(
    "div",
    { class: "narrow stack" },
    h("h1", {}, "Replay a game"),
    h("p", { class: "soft" }, "Step through any game: the view of each seat, or the whole state. Arrow keys move, Home and End go to its ends."),
    loader(context, "replay"),
  );
}

class Replay extends Review {
  build() {
    const { line } = this;
    this.reviewer = this.hasEvaluator && line.isOver ? new Reviewer(line, () => this.at, () => this.showSoon()) : null;
    /** The step that the visitor is asked about; with the compared actions after the answer. @type {{at: number, viewer: number, pick?: number, compared?: import("./estimator.js").Compared} | null} */
    this.question = null;
    this.halted = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.showing = undefined;
    this.summary = h("section", { class: "card stack tight summary", "aria-label": "Review", hidden: !this.reviewer });
    this.status = h("span", { class: "small soft" });
    this.control = button("Stop", () => this.control.dataset.stop ? this.stopReview() : this.resume(), { class: "quiet" });
    this.mistakes = button("Next mistake", () => this.nextMistake());
    this.totals = h("tbody");
    this.costly = h("ol", { class: "stack tight lines" });
    const head = ["Seat", "Accuracy", "Start", "Skill", "Luck", "Result"].map((text, i) => h("th", { class: i ? "number" : null, scope: "col" }, text));
    this.overview = h(
      "div",
      { class: "stack tight" },
      h("h2", {}, "Review"),
      h("div", { class: "row" }, this.status, this.control),
      h("table", {}, h("thead", {}, h("tr", {}, head)), this.totals),
      h("p", { class: "small soft" }, "In percent of a win: start + skill + luck = result. Skill is what own choices lost against the best ones, from what the seat knew; luck is everything else."),
      h("div", { class: "row" }, this.mistakes),
      h("h3", {}, "What would you do?"),
      this.costly,
    );
    this.asked = h("div", { class: "stack tight", hidden: true });
    this.summary.append(this.overview, this.asked);
    this.judged = h("div", { class: "stack tight judged" });
    super.build();
    this.insight.body.after(this.judged);
  }

  panels() {
    return [this.summary, this.table.actions.element, ...super.panels()];
  }

  toolButtons() {
    const study = h("a", { class: "button", href: "#study" }, "Study");
    study.addEventListener("click", () => (study.href = this.link("study")));
    return [...super.toolButtons(), study];
  }

  screen() {
    const screen = super.screen(), { leave } = screen;
    this.resume();
    return { ...screen, leave: () => (leave(), this.reviewer?.stop()) };
  }

  /** Results come fast: show them together. */
  showSoon() {
    this.showing ??= setTimeout(() => {
      this.showing = undefined;
      if (!this.stopped.signal.aborted) this.showInsight();
    }, PAUSE);
  }

  resume() {
    this.halted = false;
    this.reviewer?.start();
    this.showInsight();
  }

  stopReview() {
    this.halted = true;
    this.reviewer?.stop();
    this.showInsight();
  }

  /** Whether a question about the shown step is open. */
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
    if (this.question && place !== this.question.at) this.leaveQuestion();
    super.goTo(place);
    if (!this.halted) this.reviewer?.start();
  }

  /** @param {number} viewer */
  look(viewer) {
    this.question = null;
    super.look(viewer);
  }

  showInsight() {
    const { reviewer, at, line } = this, asking = this.isAsking;
    super.showInsight();
    this.insight.element.hidden = asking;
    this.evaluation.hidden ||= asking;
    if (!reviewer) return;
    const { account } = reviewer, step = this.mayEvaluate(at) ? account.steps[at] : undefined;
    this.curve.element.hidden = asking;
    this.overview.hidden = this.question !== null;
    this.asked.hidden = !this.question;
    this.summary.classList.toggle("asking", this.question !== null);
    this.curve.showChanges(account.isValued ? this.changes() : [], at, line.rounds());
    this.showSummary();
    this.showStep(asking ? undefined : step);
  }

  /** Skill and luck of the shown seat's steps, or of all: from one own step to the next, so that no seat's values show what others knew. */
  changes() {
    const { account } = /** @type {Reviewer} */ (this.reviewer), { movers, values, steps } = account;
    return this.line.actions.flatMap((_, at) => {
      if (!this.mayEvaluate(at)) return [];
      const seat = movers[at], [from, to] = [at, account.nextOf(at, seat)].map((place) => /** @type {number[]} */ (values[place])[seat]), step = steps[at];
      return [{ at, from, to, skill: step?.skill ?? 0, lost: Boolean(step && !step.close && step.skill < 0) }];
    });
  }

  showSummary() {
    const { account, progress: [done, all], isRunning, message } = /** @type {Reviewer} */ (this.reviewer);
    replace(this.status, message || (isRunning ? `Compared ${done} of ${all} choices …` : `${done} of ${all} choices are compared.`));
    this.control.hidden = !isRunning && !this.halted && !message;
    this.control.dataset.stop = isRunning ? "yes" : "";
    replace(this.control, isRunning ? "Stop" : "Resume");
    const rows = Array.from({ length: account.players }, (_, seat) => {
      const { start, skill, error, luck, result, accuracy } = account.seat(seat);
      const cells = [accuracy === null ? "–" : percent(accuracy), (100 * start).toFixed(0), `${signed(100 * skill, 0)} ± ${(100 * error).toFixed(0)}`, signed(100 * luck, 0), (100 * result).toFixed(0)];
      return h("tr", { data: { seat, start, skill, luck, result } }, h("th", { scope: "row" }, seatmark(seat)), cells.map((text) => h("td", { class: "number small" }, text)));
    });
    replace(this.totals, rows);
    const steps = account.costliest().filter(({ at }) => this.mayEvaluate(at));
    const known = [...this.costly.querySelectorAll("button")].map((one) => one.dataset.at).join();
    if (known === steps.map(({ at }) => at).join() && this.costly.childElementCount) return;
    replace(this.costly, steps.length ? steps.map(({ at, seat }) => h("li", {}, button(`Step ${at + 1}: player ${seat}`, () => this.ask(at), { data: { at } }))) : h("li", { class: "soft small" }, isRunning ? "Not yet known" : "No step clearly lost anything."));
  }

  /** The values of the compared actions, in the list and on the board. @param {import("./account.js").Step | undefined} step */
  showStep(step) {
    const { at, game, line, question } = this, compared = question?.compared ?? step?.compared;
    if (!compared || compared.actions.length < 2) {
      replace(this.judged);
      this.table.board.mark([]);
      return;
    }
    const means = compared.values.map((some) => meanOf(some).mean), order = means.map((_, i) => i).sort((a, b) => means[b] - means[a]);
    const name = this.naming(compared.actions[order[0]]);
    const marked = order.filter((i, rank) => rank < MARKED || compared.actions[i] === line.actions[at] || compared.actions[i] === question?.pick);
    this.table.board.mark(marked.map((i) => ({ action: compared.actions[i], text: percent(Math.max(0, means[i])), kind: name(compared.actions[i]).join(" ") })));
    if (!step) return;
    const { skill, error, close, mistake } = step, verdict = close ? "too close to call" : mistake ? "a mistake" : "";
    const luck = this.changes().find((one) => one.at === at);
    replace(
      this.judged,
      h("p", { class: "small" }, "Skill ", h("strong", { class: mistake ? "worse" : null }, change(skill, error)), verdict && [", ", verdict], luck && `; luck until the next turn ${signed(100 * (luck.to - luck.from - skill), 1)} %`),
      h("h3", {}, `Values in ${compared.values[0].length} sampled states`),
      comparison(game, compared, name),
    );
  }

  /** Words on the actions of the shown step. @param {number} best */
  naming(best) {
    const named = /** @type {[string, number | undefined][]} */ ([["best", best], ["played", this.line.actions[this.at]], ["yours", this.question?.pick]]);
    return (/** @type {number} */ action) => named.flatMap(([word, one]) => (one === action ? [word] : []));
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
    const title = h("h2", { tabindex: "-1" }, "What would you do?");
    replace(
      this.asked,
      title,
      h("p", {}, `Player ${seat} decides at step ${at + 1}. Choose on the board or in the list; you see what that seat knew.`),
      h("div", { class: "row" }, button("Show the answer", () => this.answer()), button("Back to the replay", () => this.back(), { class: "quiet" })),
    );
    this.goTo(at);
    title.focus();
  }

  /** @param {number} action */
  chosen(action) {
    this.answer(action);
  }

  /** Compare the best action, the one that was played and the visitor's. @param {number} [pick] */
  async answer(pick) {
    const { question, line, at, reviewer, stopped } = this, { kernel } = line, step = reviewer?.account.steps[at];
    if (!question || !step) return;
    const tried = [...new Set([step.best, line.actions[at], ...(pick === undefined ? [] : [pick])])];
    const details = { ...EFFORTS.fine, state: kernel.seen(line.states[at], step.seat), tried };
    replace(this.asked.lastElementChild, h("span", { class: "soft small thinking" }, "Comparing in sampled states"));
    try {
      const compared = await this.context.thinker.ask("compare", kernel, details, { signal: stopped.signal });
      if (this.question !== question) return;
      Object.assign(question, { pick, compared });
      this.show();
      this.showAnswer(compared, pick);
    } catch (error) {
      if (!isStop(error) && this.question === question) replace(this.asked, h("p", { class: "trouble" }, /** @type {Error} */ (error).message));
    }
  }

  /** @param {import("./estimator.js").Compared} compared @param {number | undefined} pick */
  showAnswer(compared, pick) {
    const { at, game, line } = this, { actions, values } = compared, played = line.actions[at];
    const behind = (/** @type {number} */ action) => {
      const { mean, error } = meanOf(values[actions.indexOf(action)].map((value, w) => value - values[0][w]));
      return isClose(mean, error) ? "too close to call" : change(mean, error);
    };
    const verdict = (/** @type {string} */ who, /** @type {number} */ action) => h("p", {}, `${who}: `, h("strong", {}, game.text(action)), action === actions[0] ? ", the best action" : [", against the best one ", behind(action)]);
    const more = [...this.costly.querySelectorAll("button")].map((one) => Number(one.dataset.at)), next = more[(more.indexOf(at) + 1) % more.length];
    const title = h("h2", { tabindex: "-1" }, "The answer");
    replace(
      this.asked,
      title,
      pick === undefined ? null : verdict("You", pick),
      verdict("Played", played),
      comparison(game, compared, this.naming(actions[0])),
      h("p", { class: "small soft" }, `In ${values[0].length} states that the seat could not tell apart, the network playing for all.`),
      h("div", { class: "row" }, next !== undefined && button("Next question", () => this.ask(next), { class: "primary" }), button("Back to the replay", () => this.back())),
    );
    title.focus();
    announce("The answer");
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
