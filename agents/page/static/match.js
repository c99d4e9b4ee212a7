/** A game that is being played: whose turn it is, what people see, what agents answer. @module */
import { announce, button, h, replace } from "./dom.js";
import { readable } from "./games.js";
import { HIDDEN } from "./log.js";
import { outcome } from "./outcome.js";
import { isHuman, seatName } from "./seats.js";
import { keep, kept } from "./store.js";
import { Table, phaseOf } from "./table.js";
import { isStop } from "./thinker.js";

/** Pauses after an agent's decision, in milliseconds. */
const PACES = /** @type {Record<string, number>} */ ({ "at once": 0, calm: 350, slow: 1000 });

/** Agents that answer faster than that are not shown one by one, in milliseconds. */
const FRAME = 120;
/** How much longer than it takes to be shown the table then stands. */
const SHARE = 6;

export class Match {
  /**
   * @param {import("./games.js").Game} game
   * @param {import("./line.js").Line} line where it stands
   * @param {import("./seats.js").Seat[]} seats
   * @param {import("./thinker.js").Thinker} thinker
   * @param {{moved: () => void, again: () => void}} told after each decision; when another game is wanted
   */
  constructor(game, line, seats, thinker, told) {
    this.game = game;
    this.line = line;
    this.seats = seats;
    this.thinker = thinker;
    this.told = told;
    this.humans = seats.flatMap((seat, number) => (isHuman(seat) ? [number] : []));
    /** Whose eyes the page shows: a seat, -1 for everything; null behind the cover. @type {number | null} */
    this.viewer = this.humans.length > 1 ? null : (this.humans[0] ?? -1);
    /** The place behind a person's last turn. @type {number[]} */
    this.since = seats.map(() => line.length);
    /** How many decisions may be taken back. */
    this.undoable = 0;
    /** When the table was last shown. */
    this.shownAt = -Infinity;
    /** How long it stands before it is shown anew while agents play: longer where showing takes longer. */
    this.pause = FRAME;
    this.stopped = new AbortController();
    this.table = new Table(game, seats, (action) => this.choose(action));
    this.undo = button("Take back", () => this.takeBack(), { class: "quiet", disabled: true });
    this.element = h("div");
  }

  stop() {
    this.stopped.abort();
  }

  get mover() {
    return this.line.mover(this.line.length);
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
      replace(this.element, h("p", { class: "trouble", role: "alert" }, /** @type {Error} */ (error).message));
    }
  }

  /** An agent's decision: it is told what its seat sees, and nothing else. @param {number} seat */
  async answer(seat) {
    const { line, thinker, seats } = this, { kernel } = line;
    const state = kernel.seen(line.last, seat), signal = this.stopped.signal;
    const begun = performance.now();
    const legal = kernel.legal(line.last);
    const details = { state, agent: seats[seat] };
    const action = legal.length === 1 ? legal[0] : (await thinker.ask("choose", kernel, details, { signal })).action;
    const wait = PACES[kept("pace") ?? "at once"] - (performance.now() - begun);
    if (wait > 0) await new Promise((go) => setTimeout(go, wait));
    if (signal.aborted) return;
    this.play(action);
  }

  /** @param {number} action */
  play(action) {
    this.line.play(action);
    this.told.moved();
  }

  /** A person's decision. @param {number} action */
  choose(action) {
    const seat = this.mover;
    if (seat !== this.viewer || !isHuman(this.seats[seat])) return;
    this.play(action);
    this.undoable = this.showsNews() ? 0 : this.undoable + 1;
    if (this.mover !== seat) this.since[seat] = this.line.length;
    this.go();
  }

  /** Whether the last decision has led to something that could have been otherwise: a card drawn, another's turn. */
  showsNews() {
    const { line } = this, { kernel } = line, seat = /** @type {number} */ (this.viewer);
    if (this.mover !== seat) return true;
    const before = line.states[line.length - 1], action = line.actions[line.length - 1];
    const sights = [1n, 2n].map((seed) => kernel.seen(kernel.after(kernel.world(before, seat, seed), action), seat).join());
    return sights.some((sight) => sight !== kernel.seen(line.last, seat).join());
  }

  takeBack() {
    if (this.undoable === 0) return;
    this.undoable -= 1;
    this.line.actions.pop();
    this.line.states.pop();
    this.told.moved();
    this.show(true);
  }

  /** Another person's turn: nothing is shown until she says that she sits there. @param {number} seat */
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
    replace(this.element, h("section", { class: "cover" }, h("h1", {}, `Player ${seat} is next`), h("p", { class: "soft" }, "Hand the screen over; nobody else's cards are shown."), shown));
    shown.focus();
    announce(`Player ${seat} is next`);
  }

  /** @param {boolean} [asked] whether a person is asked for a decision */
  show(asked = false) {
    const { line, viewer, table } = this, begun = performance.now();
    this.shownAt = begun;
    if (viewer === null) return this.wait();
    const over = line.isOver, mine = asked && !over && this.mover === viewer;
    if (table.element.parentElement !== this.element) replace(this.element, table.element);
    this.showStatus(mine);
    const legal = mine ? line.kernel.legal(line.last) : [];
    const since = viewer >= 0 ? this.since[viewer] : Math.max(0, line.length - 1);
    // What somebody did herself is no news to her.
    const fresh = line.actions.every((_, at) => at < since || line.mover(at) !== viewer);
    table.show(line, { viewer: over ? -1 : viewer, actions: legal, before: fresh ? since : null, since });
    this.shownAt = performance.now();
    this.pause = Math.max(FRAME, SHARE * (this.shownAt - begun));
    if (over) this.end();
    else if (mine) announce(`Your turn: ${phaseOf(line.kernel, line.last)}. ${fresh ? this.news(since) : ""}`);
  }

  /** What the others did, in words. @param {number} since */
  news(since) {
    const done = [];
    for (let at = since; at < this.line.length; at += 1) {
      done.push(`${seatName(this.line.mover(at), undefined)}: ${readable(this.line.text(at, this.viewer ?? -1) ?? HIDDEN)}`);
    }
    return done.join("; ");
  }

  /** Behind the cover while agents play: only whose turn it is. */
  wait() {
    replace(this.element, h("section", { class: "cover" }, h("h1", { class: "thinking" }, `${seatName(this.mover, this.seats[this.mover])} plays`)));
  }

  /** @param {boolean} mine */
  showStatus(mine) {
    const { line, table, mover } = this, { kernel } = line;
    const round = line.round(line.length), phase = phaseOf(kernel, line.last);
    const where = [round > 0 && `round ${round}`, phase].filter(Boolean).join(", ");
    const who = mover < 0 ? "The game is over" : mine ? "Your turn" : `${seatName(mover, this.seats[mover])} plays`;
    replace(table.heading, who, where && mover >= 0 ? h("span", { class: "soft" }, ` · ${where}`) : null);
    table.heading.classList.toggle("thinking", mover >= 0 && !mine);
    this.undo.disabled = this.undoable === 0;
    const pace = kept("pace") ?? "at once";
    const next = Object.keys(PACES)[(Object.keys(PACES).indexOf(pace) + 1) % 3];
    const paced = button(`Agents: ${pace}`, () => {
      keep("pace", next);
      this.showStatus(mine);
    }, { class: "quiet", title: "How fast the others play" });
    replace(table.tools, this.undo, paced, table.board.zoomed);
  }

  end() {
    const { line, seats, table } = this;
    table.actions.element.hidden = true;
    table.side.querySelector(".outcome")?.remove();
    table.side.prepend(outcome(line, seats, this.told.again));
    table.heading.focus();
    const places = line.kernel.places(line.last);
    announce(`The game is over. ${places.map((place, seat) => `Player ${seat}: place ${place}`).join(", ")}`);
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    if (this.viewer === null || this.viewer !== this.mover) return;
    if (event.key === "Backspace") this.takeBack();
    else if (this.table.actions.digit(event)) event.preventDefault();
  }
}
