/** A recorded game: every step in the view of a seat or as a whole, with the estimates of a network. @module */
import { Autoplay } from "./autoplay.js";
import { button, h, percent, replace, select, sign } from "./dom.js";
import { Curve } from "./curve.js";
import { sharesOf } from "./evaluator.js";
import { Insight } from "./insight.js";
import { copyButton, save } from "./outcome.js";
import { say } from "./say.js";
import { namesOf } from "./seats.js";
import { linkOf } from "./share.js";
import { Table } from "./table.js";
import { isStop } from "./thinker.js";

/** Milliseconds between two changes of the address, at least. */
const PAUSE = 400;
/** Seconds that a search takes when it is asked for. */
const SECONDS = 2;
/** Arrowheads, one and two. */
const [BACK, FAR_BACK, ON, FAR_ON] = ["M12 4l2 2-6 6 6 6-2 2-8-8z", "M19 4l2 2-6 6 6 6-2 2-8-8z", "M12 4l-2 2 6 6-6 6 2 2 8-8z", "M5 4l-2 2 6 6-6 6 2 2 8-8z"];

export class Review {
  /**
   * @param {import("./app.js").Context} context
   * @param {import("./games.js").Game} game
   * @param {import("./line.js").Line} line
   * @param {{at: number, view: number, screen: string, by?: string[]}} where by: the names of the players
   */
  constructor(context, game, line, { at, view, screen, by = [] }) {
    this.context = context;
    this.game = game;
    this.line = line;
    this.at = at;
    this.viewer = view;
    this.screenName = screen;
    this.stopped = new AbortController();
    this.addressedAt = -Infinity;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.addressing = undefined;
    /** @type {Map<Uint8Array, import("./insight.js").Estimate>} by state */
    this.estimated = new Map();
    this.seats = by.map((agent) => ({ agent }));
    this.table = new Table(game, this.seats, (action) => this.chosen(action), (place) => this.goTo(place));
    this.insight = new Insight(game, () => this.search());
    this.curve = new Curve((place) => this.goTo(place));
    this.autoplay = new Autoplay(this);
    this.hasEvaluator = game.hasEvaluator(line.kernel.players);
    /** The agent that analyses a game of a server. @type {import("./analyst.js").Analyst | null} */
    this.analyst = null;
    this.analysing = button("", () => this.askServer(), { hidden: true });
    this.insight.searching.after(this.analysing);
    // Made by `build`.
    /** @type {HTMLDivElement} */
    this.rounds;
    /** @type {HTMLOutputElement} */
    this.place;
    /** @type {HTMLElement} */
    this.evaluation;
    /** @type {HTMLInputElement} */
    this.slider;
    /** @type {HTMLSelectElement} */
    this.views;
    /** @type {HTMLButtonElement} */
    this.losses;
    this.build();
    /** The identity of the shown step; late answers to another step are dropped. */
    this.shown = {};
    context.analystOf?.(line).then((found) => {
      this.analyst = found;
      replace(this.analysing, `What does ${found?.name} say?`);
      this.showInsight();
    }).catch(console.warn);
  }

  build() {
    const { kernel } = this.line;
    const views = /** @type {[string, string][]} */ ([["-1", "see everything"], ...Array.from({ length: kernel.players }, (_, seat) => [String(seat), `the view of player ${seat}`])]);
    this.views = select(views, String(this.viewer), (value) => this.look(Number(value)), { "aria-label": "View" });
    this.slider = h("input", { type: "range", min: 0, step: 1, "aria-label": "Decision", on: { input: () => this.goTo(Number(this.slider.value)) } });
    this.place = h("output", { class: "numbers small" });
    const move = (/** @type {string} */ path, /** @type {string} */ label, /** @type {() => void} */ pressed) => button(sign(path), pressed, { class: "round", "aria-label": label, title: label });
    this.rounds = h("div", { class: "row" });
    this.evaluation = h("div", { class: "evaluation", role: "img", hidden: true });
    this.transport = h(
      "div",
      { class: "transport card", role: "group", "aria-label": "Where in the game" },
      h("div", { class: "row steps" }, move("M4 4h3v7l12-7v16L7 13v7H4z", "To the beginning", () => this.goTo(0)), move(`${BACK}${FAR_BACK}`, "The turn before (b)", () => this.goTo(this.line.turnBefore(this.at))), move(BACK, "One decision back", () => this.goTo(this.at - 1)), this.autoplay.button, move(ON, "One decision on", () => this.goTo(this.at + 1)), move(`${ON}${FAR_ON}`, "The next turn (n)", () => this.goTo(this.line.turnAfter(this.at))), move("M20 4h-3v7L5 4v16l12-7v7h3z", "To the end", () => this.goTo(this.line.length)), this.autoplay.speed),
      this.slider,
      this.place,
      this.evaluation,
    );
    this.insight.element.append(this.rounds);
    const { table } = this;
    table.element.classList.add("reviewed");
    table.board.element.after(this.transport);
    table.side.prepend(...this.panels());
    replace(table.tools, this.views, ...this.toolButtons(), table.board.zoomed);
  }

  /** @returns {any[]} the elements above actions and log */
  panels() {
    return [this.insight.element, this.curve.element];
  }

  /** @returns {HTMLElement[]} */
  toolButtons() {
    return [copyButton(() => this.link()), button("Save", () => save(this.line))];
  }

  link(screen = this.screenName) {
    return linkOf(this.line, screen, { at: this.at, view: this.viewer, by: namesOf(this.seats) });
  }

  screen() {
    this.lineChanged();
    return {
      element: this.table.element,
      title: `${this.screenName === "study" ? "Study" : "Replay"} ${this.game.title}`,
      leave: () => {
        this.stopped.abort();
        this.autoplay.stop();
      },
      keyed: (/** @type {KeyboardEvent} */ event) => this.keyed(event),
    };
  }

  /** After the line became another one. */
  lineChanged() {
    this.slider.max = String(this.line.length);
    const jumps = this.line.rounds().map(({ round, at }) => /** @type {[string, string]} */ ([String(at), `round ${round}`]));
    const ends = /** @type {[string, string][]} */ ([["", "Jump to"], ...jumps, [String(this.line.length), "the end"]]);
    replace(this.rounds, jumps.length > 1 && select(ends, "", (value) => value && this.goTo(Number(value)), { "aria-label": "Jump to a round" }));
    this.goTo(this.at);
    this.evaluateAll();
  }

  /** @param {number} place */
  goTo(place) {
    this.autoplay.moved();
    this.at = Math.min(Math.max(place, 0), this.line.length);
    this.show();
  }

  /** @param {number} viewer */
  look(viewer) {
    this.viewer = viewer;
    this.show();
    this.evaluateAll();
  }

  /** The game as far as it may be seen. */
  visible() {
    return this.line;
  }

  /** Legal actions that may be chosen here; none in a replay. @returns {number[]} */
  offered() {
    return [];
  }

  /** @param {number} _action */
  chosen(_action) {}

  show() {
    this.shown = {};
    const { line, at, viewer, table } = this, { kernel } = line, state = line.states[at], mover = kernel.mover(state);
    const last = at > 0 ? at - 1 : null;
    table.show(this.visible(), { viewer, at, actions: this.offered(), before: last, whole: true });
    const round = line.round(at), phase = this.game.phase(kernel, state);
    const where = [round > 0 && `round ${round}`, phase].filter(Boolean).flatMap((one, i) => [i ? ", " : " · ", one]);
    replace(table.heading, mover < 0 ? "The end" : `Player ${mover} decides`, where.length > 0 && mover >= 0 ? h("span", { class: "soft" }, where) : null);
    this.slider.value = String(at);
    replace(this.place, `${at} of ${line.length}`);
    this.slider.setAttribute("aria-valuetext", say(`decision ${at} of ${line.length}`));
    this.views.value = String(viewer);
    this.showAddress();
    this.insight.clear();
    this.analysing.disabled = false;
    this.showInsight();
  }

  /** The address follows, not for every step of a slider: browsers refuse too many. */
  showAddress() {
    clearTimeout(this.addressing);
    const wait = Math.max(0, this.addressedAt + PAUSE - performance.now());
    this.addressing = setTimeout(() => {
      if (this.stopped.signal.aborted) return;
      this.addressedAt = performance.now();
      history.replaceState(null, "", this.link());
    }, wait);
  }

  /** Whether the viewer may see the knowledge of a step's player. @param {number} place @param {import("./line.js").Line} [line] */
  mayEvaluate(place, line = this.line) {
    const mover = line.mover(place);
    return mover >= 0 && (this.viewer < 0 || mover === this.viewer);
  }

  /** The win shares at a place as the viewer may know them, null where not. @param {number} place @param {import("./line.js").Line} [line] @returns {number[] | null} */
  valuesAt(place, line = this.line) {
    if (place > line.length) return null;
    if (line.mover(place) < 0) return sharesOf(line.kernel.places(line.states[place]));
    return this.mayEvaluate(place, line) ? (this.estimated.get(line.states[place])?.values ?? null) : null;
  }

  /** The win shares along the game; without a viewing seat, the mean of the latest estimates of all players. */
  course() {
    const { line, viewer } = this;
    /** @type {Map<number, number[]>} */
    const latest = new Map();
    return line.states.map((_, place) => {
      const values = this.valuesAt(place), mover = line.mover(place);
      if (viewer >= 0 || mover < 0 || !values) return values;
      latest.set(mover, values);
      return values.map((_share, seat) => [...latest.values()].reduce((sum, one) => sum + one[seat], 0) / latest.size);
    });
  }

  showInsight() {
    const { line, at } = this, mover = line.mover(at);
    this.curve.element.hidden = !this.hasEvaluator;
    const course = this.hasEvaluator ? this.course() : [];
    if (this.hasEvaluator) this.curve.show(course, at, line.rounds());
    showEvaluation(this.evaluation, course.slice(0, at + 1).findLast(Boolean));
    this.analysing.hidden = !this.analyst?.knows(line, at) || !this.mayEvaluate(at);
    if (mover < 0) this.insight.say("The game is over.");
    else if (!this.hasEvaluator) this.insight.say(`No network predicts the winner among ${line.kernel.players} players.`, this.maySearch());
    else if (!this.mayEvaluate(at)) this.insight.say(`The knowledge of player ${mover} is hidden from player ${this.viewer}.`);
    else if (this.estimated.has(line.states[at])) this.insight.show(/** @type {any} */ (this.estimated.get(line.states[at])), mover, line.actions[at] ?? null);
    else this.insight.say("The network is thinking …");
  }

  /** Asks the network about every place that the viewer may know, the nearest ones first. */
  async evaluateAll() {
    if (!this.hasEvaluator) return;
    const { line, at, stopped } = this, { kernel } = line;
    const missing = line.states.flatMap((state, place) => (this.mayEvaluate(place) && !this.estimated.has(state) ? [place] : []));
    missing.sort((a, b) => Math.abs(a - at) - Math.abs(b - at));
    const states = missing.map((place) => kernel.seen(line.states[place], line.mover(place)));
    const progress = (/** @type {{first: number, estimates: any[]}} */ { first, estimates }) => {
      estimates.forEach((one, i) => this.estimated.set(line.states[missing[first + i]], one));
      this.showInsight();
    };
    try {
      if (states.length) await this.context.thinker.ask("evaluate", kernel, { states }, { signal: stopped.signal, progress });
    } catch (error) {
      if (!isStop(error)) this.insight.say(`The network cannot be asked: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** Whether a search can be asked about the decision one looks at. */
  maySearch() {
    return this.game.canSearch(this.line.kernel.players) && this.mayEvaluate(this.at);
  }

  /** Run a search at the shown step. @param {(found: any) => void} show called with each intermediate result */
  async searched(show) {
    const { line, at, stopped, shown } = this, { kernel } = line, seat = line.mover(at);
    const details = { state: kernel.seen(line.states[at], seat), seconds: SECONDS };
    const progress = (/** @type {any} */ found) => this.shown === shown && show(found);
    progress(await this.context.thinker.ask("search", kernel, details, { signal: stopped.signal, progress }));
  }

  async search() {
    const { shown } = this;
    this.insight.searching.disabled = true;
    try {
      await this.searched((found) => this.insight.showSearch(found, this.line.actions[this.at] ?? null));
    } catch (error) {
      if (!isStop(error) && this.shown === shown) this.insight.say(/** @type {Error} */ (error).message);
    }
  }

  async askServer() {
    const { line, at, stopped, analyst, insight, shown } = this;
    this.analysing.disabled = true;
    const here = () => this.shown === shown;
    try {
      const advice = await analyst?.ask(at, stopped.signal);
      if (advice && here()) insight.showAdvice(advice, line.mover(at), line.actions[at] ?? null);
    } catch (error) {
      if (here()) insight.say(/** @type {Error} */ (error).message);
    }
    if (here()) this.analysing.disabled = false;
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    if (event.target instanceof Element && event.target.closest("input[type=range], .actions, .places, .menu")) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "p" && !event.repeat) this.autoplay.toggle();
    const { line, at } = this;
    const moves = /** @type {Record<string, number>} */ ({ ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: line.length, n: line.turnAfter(at), b: line.turnBefore(at) });
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.goTo(moves[event.key]);
  }
}

/** The evaluation bar: a part for each seat, as long as its win share. @param {HTMLElement} element @param {number[] | null | undefined} shares */
function showEvaluation(element, shares) {
  element.hidden = !shares;
  if (!shares) return;
  replace(element, shares.map((_, seat) => h("span", { data: { seat } })));
  shares.forEach((share, seat) => (/** @type {any} */ (element.children[seat]).style.flexGrow = share));
  element.setAttribute("aria-label", say(`Win probability: ${shares.map((share, seat) => `player ${seat} ${percent(share)}`).join(", ")}`));
}
