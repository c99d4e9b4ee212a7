/** A game that is played on this machine: by people at one screen, and agents that answer in the worker. @module */
import { announce, button, h, replace } from "./dom.js";
import { canHint, giveHint } from "./hint.js";
import { isHuman, seatName } from "./seats.js";
import { Session } from "./session.js";
import { linkOf } from "./share.js";
import { keep, kept } from "./store.js";
import { isStop } from "./thinker.js";

/** Pauses after an agent's decision, in milliseconds. */
const PACES = /** @type {Record<string, number>} */ ({ "at once": 0, calm: 350, slow: 1000 });

/** Agents that answer faster than that are not shown one by one, in milliseconds. */
const FRAME = 120;
/** How much longer than it takes to be shown the table then stands. */
const SHARE = 6;

/** Sampled states that decide whether an action may be undone, as in `porta_nigra_env.core.game.undo`. */
const SAMPLES = 32;

/** How fast the others play, by its name. @returns {string} */
const pace = () => kept("pace") ?? "at once";

export class Match extends Session {
  /**
   * @param {import("./games.js").Game} game
   * @param {import("./line.js").Line} line where it stands
   * @param {import("./seats.js").Seat[]} seats
   * @param {import("./app.js").Context} context
   * @param {string} address of the game on the page
   * @param {{moved: () => void, again: () => void}} callbacks called after each step, and for another game
   */
  constructor(game, line, seats, context, address, callbacks) {
    super(game, line, seats, callbacks.again);
    this.line = line;
    this.context = context;
    this.address = address;
    this.callbacks = callbacks;
    this.humans = seats.flatMap((seat, number) => (isHuman(seat) ? [number] : []));
    // The cover hides the table between two people.
    this.viewer = this.humans.length > 1 ? null : (this.humans[0] ?? -1);
    /** The place behind a person's last turn. @type {number[]} */
    this.since = seats.map(() => line.length);
    /** The number of actions that may be undone. */
    this.undoable = 0;
    /** Whether a person is asked for a decision. */
    this.asking = false;
    /** When the table was last shown. */
    this.shownAt = -Infinity;
    /** The pause between two drawings while agents play; longer where drawing takes longer. */
    this.pause = FRAME;
    this.stopped = new AbortController();
    this.paced = button("", () => {
      const names = Object.keys(PACES);
      keep("pace", names[(names.indexOf(pace()) + 1) % names.length]);
      this.showStatus(this.asking);
    }, { class: "quiet", title: "How fast the others play" });
    this.hint = button("Hint", () => this.askHint(), { class: "quiet", title: "Hint (h)" });
    this.study = button("Study from here", async () => context.go(await this.studied()), { class: "quiet" });
    this.hinted = h("section", { class: "card stack tight hinted", "aria-label": "Hint", "aria-live": "polite", hidden: true });
    this.table.side.prepend(this.hinted);
    /** Stops the hint that is being computed. */
    this.hinting = new AbortController();
  }

  stop() {
    this.stopped.abort();
    this.hinting.abort();
  }

  get behind() {
    const { viewer } = this;
    return viewer !== null && viewer >= 0 ? this.since[viewer] : Math.max(0, this.line.length - 1);
  }

  get canTakeBack() {
    return this.undoable > 0;
  }

  legal() {
    return this.line.kernel.legal(this.line.last);
  }

  /** Plays on until a person has to decide or the game is over. */
  async go() {
    try {
      while (!this.line.isOver && !isHuman(this.seats[this.mover])) {
        if (performance.now() - this.shownAt > this.pause) this.show();
        await this.answer(this.mover);
        if (this.stopped.signal.aborted) return;
      }
      if (!this.line.isOver && this.viewer !== this.mover) this.turnTo(this.mover);
      else this.show(true);
    } catch (error) {
      if (isStop(error)) return;
      console.error(error);
      const trouble = h("p", { class: "trouble", role: "alert" }, /** @type {Error} */ (error).message);
      replace(this.element, h("section", { class: "cover" }, trouble, button("Try again", () => this.go(), { class: "primary" })));
    }
  }

  /** Ask an agent, which gets only the redacted state of its seat. @param {number} seat */
  async answer(seat) {
    const { line, context: { thinker }, seats } = this, { kernel } = line;
    const state = kernel.seen(line.last, seat), signal = this.stopped.signal;
    const begun = performance.now();
    const legal = kernel.legal(line.last);
    const details = { state, agent: seats[seat] };
    const action = legal.length === 1 ? legal[0] : (await thinker.ask("choose", kernel, details, { signal })).action;
    const wait = PACES[pace()] - (performance.now() - begun);
    if (wait > 0) await new Promise((go) => setTimeout(go, wait));
    if (signal.aborted) return;
    line.play(action);
    this.callbacks.moved();
  }

  /** A person's decision. @param {number} action */
  choose(action) {
    const seat = this.mover;
    if (seat !== this.viewer || !isHuman(this.seats[seat]) || this.asksAbout(action)) return;
    this.line.play(action);
    this.undoable = this.showsNews() ? 0 : this.undoable + 1;
    if (this.mover !== seat) this.since[seat] = this.line.length;
    this.callbacks.moved();
    this.go();
  }

  /** Whether the last action has shown new information, such as a drawn card, or ended the turn. */
  showsNews() {
    const { line } = this, { kernel } = line, seat = /** @type {number} */ (this.viewer);
    if (this.mover !== seat) return true;
    const before = line.states[line.length - 1], action = line.actions[line.length - 1];
    const seen = kernel.seen(line.last, seat).join();
    const samples = Array.from({ length: SAMPLES }, (_, seed) => kernel.after(kernel.determinize(before, seat, BigInt(seed + 1)), action));
    return samples.some((sample) => kernel.seen(sample, seat).join() !== seen);
  }

  takeBack() {
    if (this.undoable === 0) return;
    this.undoable -= 1;
    this.line.actions.pop();
    this.line.states.pop();
    this.callbacks.moved();
    this.show(true);
  }

  /** Hand over to another person; a cover hides the table until the person confirms. @param {number} seat */
  turnTo(seat) {
    this.undoable = 0;
    if (this.humans.length < 2) {
      this.viewer = seat;
      this.show(true);
      return;
    }
    this.viewer = null;
    const shown = button(`I am player ${seat}`, () => {
      this.viewer = seat;
      this.show(true);
    }, { class: "primary" });
    replace(this.element, h("section", { class: "cover" }, h("h1", {}, `Player ${seat} is next`), h("p", { class: "soft" }, "Hand the screen over; the cards of the other players stay hidden."), shown));
    shown.focus();
    announce(`Player ${seat} is next`);
  }

  /** @param {boolean} [asked] whether a person is asked for a decision */
  show(asked = false) {
    const begun = performance.now();
    this.shownAt = begun;
    if (this.viewer === null) return this.wait();
    this.asking = asked && !this.line.isOver && this.mover === this.viewer;
    this.hinting.abort();
    this.hinted.hidden = true;
    const fresh = this.lay(this.asking);
    this.shownAt = performance.now();
    this.pause = Math.max(FRAME, SHARE * (this.shownAt - begun));
    if (this.asking) this.call(fresh);
  }

  /** Behind the cover while agents play: only whose turn it is. */
  wait() {
    replace(this.element, h("section", { class: "cover" }, h("h1", { class: "thinking" }, `${seatName(this.mover, this.seats[this.mover])} plays`)));
  }

  /** Whether the viewer is asked to choose, and can get a hint. */
  get mayHint() {
    return this.asking && this.legal().length > 1 && canHint(this.game, this.line.kernel.players);
  }

  /** Show a hint from the viewer's redacted state. */
  async askHint() {
    if (!this.mayHint) return;
    const { hinted, line, context } = this, { kernel } = line, seat = this.mover;
    this.hinting.abort();
    this.hinting = new AbortController();
    const { signal } = this.hinting;
    hinted.hidden = false;
    try {
      await giveHint(context.thinker, this.game, { kernel, state: kernel.seen(line.last, seat), signal }, (found) => {
        if (signal.aborted) return;
        replace(hinted, found);
        hinted.scrollIntoView({ block: "nearest" });
      });
    } catch (error) {
      if (!isStop(error)) replace(hinted, h("p", { class: "trouble" }, /** @type {Error} */ (error).message));
    }
  }

  /** The address of a study from here: of the game itself if the viewer sees all of it, else of a sampled position. */
  async studied() {
    const { line, viewer, address } = this;
    if (viewer === null || viewer < 0 || line.isOver) return linkOf(line, "study", { at: line.length, view: -1 }).slice(1);
    const { sampled } = await import("./sampled.js");
    return sampled(line, viewer, address);
  }

  /** @returns {any[]} */
  tools() {
    replace(this.paced, `Agents: ${pace()}`);
    this.hint.disabled = !this.mayHint;
    return [canHint(this.game, this.line.kernel.players) && this.hint, !this.line.isOver && this.study, this.paced];
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    if (event.key === "h" && !event.repeat && !event.ctrlKey && !event.altKey && !event.metaKey) this.askHint();
    else super.keyed(event);
  }
}
