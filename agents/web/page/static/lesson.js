/** A guided first round: each step is a sentence, and most of them ask for one action of the learner. @module */
import { announce, button, h, replace } from "./dom.js";
import { lineOf } from "./line.js";
import { language } from "./say.js";
import { Session } from "./session.js";

/** Milliseconds in which an action of the others is shown, and all of a longer series. */
const [EACH, ALL] = [600, 3000];

/** @param {import("./app.js").Context} context @returns {Promise<import("./app.js").Screen>} */
export async function show(context) {
  const game = await context.game(context.chosen), data = await game.lesson();
  if (!data) throw new Error(`${game.title} has no guided first round`);
  const lesson = new Lesson(game, data, context);
  lesson.begin(context.query.get("step"));
  return { element: lesson.element, title: "Learn", leave: () => lesson.leave(), keyed: (event) => lesson.keyed(event) };
}

class Lesson extends Session {
  /** @param {import("./games.js").Game} game @param {import("./data.d.ts").LessonData} data @param {import("./app.js").Context} context */
  constructor(game, { seed, players, seat, steps }, context) {
    // The whole lesson is known beforehand; what is shown is its beginning.
    const actions = steps.flatMap(({ action, then }) => [...(action === null ? [] : [action]), ...then]);
    const whole = lineOf(game.kernel(players), BigInt(seed), actions);
    super(game, whole.upTo(0), [], () => this.go(0));
    this.whole = whole;
    this.steps = steps;
    this.viewer = seat;
    /** The place in the game at which each step begins. */
    this.starts = steps.map((_, step) => steps.slice(0, step).reduce((sum, { action, then }) => sum + (action === null ? 0 : 1) + then.length, 0));
    this.step = 0;
    /** The place from which changes are shown. */
    this.from = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.context = context;
    this.progress = h("h2", { class: "soft small" });
    this.text = h("p", { class: "taught", role: "status" });
    this.note = h("p", { class: "trouble small", role: "alert", hidden: true });
    this.next = button("Next", () => this.onward(), { class: "primary" });
    this.ends = h("div", { class: "row", hidden: true }, h("a", { class: "button primary", href: "#play" }, "Play a game"), button("From the beginning", () => this.go(0)));
    const card = h("section", { class: "card stack tight lesson", "aria-label": "Learn" }, this.progress, this.text, this.note, this.next, this.ends);
    this.table.element.classList.add("learning");
    this.table.seatbar.after(card);
    replace(this.undo, "Step back");
  }

  /** The step that is shown. @returns {import("./data.d.ts").LessonStep} */
  get now() {
    return this.steps[this.step];
  }

  get behind() {
    return this.from;
  }

  get canTakeBack() {
    return this.step > 0;
  }

  takeBack() {
    if (this.step > 0) this.go(this.step - 1);
  }

  legal() {
    return this.now.action === null ? [] : this.line.kernel.legal(this.line.last);
  }

  /** Show the step of an address, the first one without. @param {string | null} step from 0 */
  begin(step) {
    this.go(/^\d{1,4}$/.test(step ?? "") ? Math.min(Number(step), this.steps.length - 1) : 0);
  }

  leave() {
    clearTimeout(this.timer);
  }

  /** Show a step. @param {number} step */
  go(step) {
    clearTimeout(this.timer);
    this.step = step;
    this.line = this.whole.upTo(this.starts[step]);
    history.replaceState(null, "", `#learn?game=${this.game.entry.name}&step=${step}`);
    this.present();
  }

  present() {
    const { now, steps, step } = this, asks = now.action !== null, last = step === steps.length - 1;
    this.lay(asks);
    this.table.heading.classList.remove("thinking");
    replace(this.progress, `Step ${step + 1} of ${steps.length}`);
    replace(this.text, document.createTextNode(now.text[language()]));
    this.note.hidden = true;
    this.next.hidden = asks || last;
    this.ends.hidden = !last;
    this.point();
    if (!asks) (last ? this.ends.querySelector("a") : this.next)?.focus({ preventScroll: true });
  }

  /** Mark the place and the action that the step is about. */
  point() {
    const { now, table } = this, { board } = table, list = table.actions.element;
    const drawn = now.place || [...board.able].filter(([, actions]) => now.action !== null && actions.includes(now.action)).map(([place]) => board.drawing.places[place].name)[0];
    const spot = drawn ? board.element.querySelector(`[data-place="${drawn}"]`) : null;
    spot?.classList.add("taught");
    for (const option of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll(".option"))) {
      const is = Number(option.dataset.action) === now.action;
      option.classList.toggle("best", is);
      // The list only, and not the page.
      if (is) list.scrollTop += option.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
    }
  }

  /** @param {number} action */
  choose(action) {
    const { now } = this;
    if (now.action === null || this.line.length !== this.starts[this.step]) return;
    if (action === now.action) this.onward();
    else {
      replace(this.note, `For now, choose: ${this.game.text(now.action)}.`);
      this.note.hidden = false;
    }
  }

  /** The step is done: show what follows, then the next step. */
  onward() {
    const { step, steps, starts } = this;
    if (step === steps.length - 1) return;
    const [from, to] = [starts[step], starts[step + 1]], own = this.now.action === null ? 0 : 1;
    this.from = Math.min(from + own, to);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const pause = Math.min(EACH, ALL / Math.max(1, to - from - own));
    const advance = (/** @type {number} */ at) => {
      if (at >= to || still) return this.go(step + 1);
      this.line = this.whole.upTo(at);
      this.lay(false);
      this.timer = setTimeout(() => advance(at + 1), pause);
    };
    this.next.hidden = true;
    advance(from + own);
    if (this.step > step) announce(`Step ${this.step + 1} of ${steps.length}`);
  }

  /** @param {boolean} mine */
  turn(mine) {
    return this.now.action === null ? "Learn" : super.turn(mine);
  }

  tools() {
    return [h("a", { class: "button quiet", href: "#play" }, "Leave")];
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    if (event.repeat) return;
    if (event.key === "Backspace") this.takeBack();
    else if (this.table.actions.digit(event)) event.preventDefault();
  }
}
