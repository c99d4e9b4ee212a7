/** A game as a person at the table has it before her: whose turn it is, what is new, what can be chosen, how it ended. @module */
import { announce, button, h, replace } from "./dom.js";
import { readable } from "./games.js";
import { Line } from "./line.js";
import { HIDDEN } from "./log.js";
import { outcome } from "./outcome.js";
import { seatName } from "./seats.js";
import { Table, phaseOf } from "./table.js";

/** What matches on this machine and at a server's table have in common; they say what the methods that throw leave open. */
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
    /** Whose eyes the page shows: a seat, -1 for everything; null where nothing is shown. @type {number | null} */
    this.viewer = null;
    this.table = new Table(game, seats, (action) => this.choose(action));
    this.undo = button("Take back", () => this.takeBack(), { class: "quiet", disabled: true });
    this.element = h("div");
  }

  get mover() {
    return this.line.mover(this.line.length);
  }

  /** Whether the game is over and everybody may know all of it. */
  get isTold() {
    return this.line instanceof Line && this.line.isOver;
  }

  /** The place behind the viewer's last turn. @returns {number} */
  get behind() {
    throw new Error("not said");
  }

  /** Whether the last decision can be taken back. @returns {boolean} */
  get canTakeBack() {
    throw new Error("not said");
  }

  /** What may be chosen now. @returns {number[]} */
  legal() {
    throw new Error("not said");
  }

  /** The viewer's decision. @param {number} _action */
  choose(_action) {
    throw new Error("not said");
  }

  /** Her last one back. */
  takeBack() {
    throw new Error("not said");
  }

  /** What stands beside the button that takes back. @param {boolean} _mine @returns {any[]} */
  tools(_mine) {
    return [];
  }

  /** Who is at turn, in words. @param {boolean} mine */
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
    if (table.element.parentElement !== this.element) replace(this.element, table.element);
    this.showStatus(mine);
    // What somebody did herself is no news to her.
    const fresh = line.actions.every((_, at) => at < behind || line.mover(at) !== this.viewer);
    const before = fresh && line.states[behind] ? behind : null;
    table.show(line, { viewer, actions: mine ? this.legal() : [], before, since: behind, shares });
    if (this.isTold) this.end();
    return fresh;
  }

  /** Says that it is the viewer's turn, to those who listen. @param {boolean} fresh whether she has not decided since the others did */
  call(fresh) {
    const { line } = this;
    announce(`Your turn: ${phaseOf(line.kernel, line.last)}. ${fresh ? this.news() : ""}`);
  }

  /** What the others did, in words. */
  news() {
    const { line, behind } = this;
    return line.actions.slice(behind).map((_, i) => {
      const at = behind + i;
      return `${seatName(line.mover(at), undefined)}: ${readable(line.text(at, this.viewer ?? -1) ?? HIDDEN)}`;
    }).join("; ");
  }

  /** @param {boolean} mine */
  showStatus(mine) {
    const { line, table, mover } = this, { kernel } = line;
    const round = line.round(line.length), phase = phaseOf(kernel, line.last);
    const where = [round > 0 && `round ${round}`, phase].filter(Boolean).join(", ");
    replace(table.heading, this.turn(mine), where && mover >= 0 ? h("span", { class: "soft" }, ` · ${where}`) : null);
    table.heading.classList.toggle("thinking", mover >= 0 && !mine);
    this.undo.disabled = !this.canTakeBack;
    replace(table.tools, this.undo, this.tools(mine), table.board.zoomed);
  }

  end() {
    const { seats, table } = this, line = /** @type {Line} */ (this.line);
    table.actions.element.hidden = true;
    table.side.querySelector(".outcome")?.remove();
    table.side.prepend(outcome(line, seats, this.again));
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
