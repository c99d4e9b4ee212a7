/** A game in the view of a person at the table: turn, news, legal actions, result. @module */
import { announce, button, h, replace } from "./dom.js";
import { kindOf } from "./kernel.js";
import { Line } from "./line.js";
import { HIDDEN } from "./log.js";
import { outcome } from "./outcome.js";
import { impersonal } from "./say.js";
import { seatName } from "./seats.js";
import { Table } from "./table.js";

/** The base class of games on this machine and at a server's table; subclasses override the methods that throw. */
export class Session {
  /**
   * @param {import("./games.js").Game} game
   * @param {import("./line.js").Course} line where it stands
   * @param {import("./seats.js").Seat[]} seats
   * @param {() => void} again when another game is wanted
   */
  constructor(game, line, seats, again) {
    this.game = game;
    this.line = line;
    this.seats = seats;
    this.again = again;
    /** The viewing seat, -1 for the whole state; null for a covered table. @type {number | null} */
    this.viewer = null;
    this.table = new Table(game, seats, (action) => this.choose(action));
    this.undo = button("Take back", () => this.takeBack(), { class: "quiet", disabled: true });
    this.element = h("div");
    /** Asks whether a gain shall be left behind. */
    this.asks = h("div", { class: "asks small", role: "alert", hidden: true });
    this.table.status.append(this.asks);
    /** What was asked about: a place in the game, and the action that was chosen there. */
    this.asked = "";
  }

  get mover() {
    return this.line.mover(this.line.length);
  }

  /** Whether the game is over, and all of it public. */
  get isTold() {
    return this.line instanceof Line && this.line.isOver;
  }

  /** The place behind the viewer's last turn. @returns {number} */
  get behind() {
    throw new Error("not implemented");
  }

  /** Whether the last action can be undone. @returns {boolean} */
  get canTakeBack() {
    throw new Error("not implemented");
  }

  /** The legal actions. @returns {number[]} */
  legal() {
    throw new Error("not implemented");
  }

  /** The viewer's decision. @param {number} _action */
  choose(_action) {
    throw new Error("not implemented");
  }

  /** Undo the last action. */
  takeBack() {
    throw new Error("not implemented");
  }

  /** The elements next to the undo button. @param {boolean} _mine @returns {any[]} */
  tools(_mine) {
    return [];
  }

  /** The heading: the player to move. @param {boolean} mine */
  turn(mine) {
    const { mover } = this;
    return mover < 0 ? "The game is over" : mine ? "Your turn" : `${seatName(mover, this.seats[mover])} plays`;
  }

  /**
   * Shows the table as it stands.
   * @param {boolean} mine whether the viewer is asked for a decision
   * @param {Map<number, number>} [shares] probabilities of the actions
   */
  lay(mine, shares) {
    const { line, table, behind } = this, viewer = this.isTold ? -1 : (this.viewer ?? -1);
    this.asks.hidden = true;
    if (table.element.parentElement !== this.element) replace(this.element, table.element);
    this.showStatus(mine);
    // A player's own actions are no news.
    const fresh = line.actions.every((_, at) => at < behind || line.mover(at) !== this.viewer);
    const before = fresh && line.states[behind] ? behind : null;
    table.show(line, { viewer, actions: mine ? this.legal() : [], before, since: behind, shares });
    if (this.isTold) this.end();
    return fresh;
  }

  /**
   * What an action such as "end" or "pass", the only one of its kind, leaves behind: the best action that raises the
   * viewer's points as if the game ended now, costs nothing that the first one needs, and is gone after it; null for none.
   * @param {number} action @returns {{other: number, gain: number} | null}
   */
  overlooked(action) {
    const { kernel } = this.line, seat = this.viewer ?? -1, words = this.game.words(kernel.players);
    if (!words || seat < 0 || kernel.info.action_layout[kindOf(kernel.info, action)].shape.some((size) => size > 1)) return null;
    const samples = words.samples(this.line.last, seat), value = (/** @type {Uint8Array} */ state) => kernel.totals(state)[seat];
    const can = (/** @type {Uint8Array} */ state, /** @type {number} */ one) => kernel.mover(state) === seat && kernel.legal(state).includes(one);
    const now = samples.map(value), ends = samples.map((state) => kernel.after(state, action));
    if (ends.some((state, i) => value(state) > now[i])) return null;
    const gains = this.legal().filter((other) => other !== action && !ends.some((state) => can(state, other))).map((other) => {
      const later = samples.map((state) => kernel.after(state, other));
      return { other, gain: later.every((state) => can(state, action)) ? Math.min(...later.map((state, i) => value(state) - now[i])) : 0 };
    });
    return gains.filter(({ gain }) => gain > 0).sort((one, two) => two.gain - one.gain)[0] ?? null;
  }

  /** Ask once before a choice that leaves a gain behind; whether the person is asked now. @param {number} action */
  asksAbout(action) {
    const mark = `${this.line.length} ${action}`, found = this.asked === mark ? null : this.overlooked(action);
    this.asked = mark;
    this.asks.hidden = !found;
    if (!found) return false;
    const buttons = [found.other, action].map((one) => button(this.game.text(one), () => this.choose(one)));
    replace(this.asks, h("span", {}, `You can still gain ${found.gain} here. Which one?`), h("div", { class: "row" }, buttons));
    return true;
  }

  /** Announce the viewer's turn. @param {boolean} fresh whether the others have moved since the viewer's last action */
  call(fresh) {
    const { line } = this;
    announce(`Your turn: ${this.game.phase(line.kernel, line.last)}. ${fresh ? this.news() : ""}`);
  }

  /** The actions of the others as a text. */
  news() {
    const { line, behind } = this;
    return line.actions.slice(behind).map((_, i) => {
      const at = behind + i, action = line.told(at, this.viewer ?? -1);
      return `${seatName(line.mover(at), undefined)}: ${action === null ? HIDDEN : impersonal(this.game.text(action))}`;
    }).join("; ");
  }

  /** @param {boolean} mine */
  showStatus(mine) {
    const { line, table, mover } = this, { kernel } = line;
    const round = line.round(line.length), phase = this.game.phase(kernel, line.last);
    const where = [round > 0 && `round ${round}`, phase].filter(Boolean).flatMap((one, i) => [i ? ", " : " · ", one]);
    replace(table.heading, this.turn(mine), where.length > 0 && mover >= 0 ? h("span", { class: "soft" }, where) : null);
    table.heading.classList.toggle("thinking", mover >= 0 && !mine);
    this.undo.disabled = !this.canTakeBack;
    replace(table.tools, this.undo, this.tools(mine), table.board.zoomed);
  }

  end() {
    const { seats, table } = this, line = /** @type {Line} */ (this.line);
    table.actions.element.hidden = true;
    table.side.querySelector(".outcome")?.remove();
    table.side.prepend(outcome(this.game, line, seats, this.again));
    table.heading.focus();
    const places = line.kernel.places(line.last);
    announce(`The game is over. ${places.map((place, seat) => `Player ${seat}: place ${place}`).join(", ")}`);
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    if (event.repeat || this.viewer === null || this.viewer !== this.mover) return;
    if (event.key === "Backspace") this.takeBack();
    else if (this.table.actions.digit(event)) event.preventDefault();
  }
}
