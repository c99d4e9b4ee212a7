/** A table: clicks go to the kernel, which plays, and says how the table stands. @module */
import { h } from "../../page/static/dom.js";
import { standings } from "../../page/static/outcome.js";
import { SeatLine } from "../../page/static/seatline.js";
import { seatName } from "../../page/static/seats.js";
import { Session } from "../../page/static/session.js";

/** Milliseconds that a kernel which is there and idle needs at most to say that it has heard. */
const PATIENCE = 4000;
const UNHEARD = "No kernel has answered yet: it is busy or missing. Run the cell again to play.";

export class TableWidget extends Session {
  /** @param {import("../../page/static/games.js").Game} game @param {any} model */
  constructor(game, model) {
    const seats = model.get("_seats").map((/** @type {string} */ agent) => ({ agent }));
    super(game, new SeatLine(game.kernel(model.get("_players"))), seats, () => {});
    this.model = model;
    this.viewer = model.get("_viewer");
    this.notice = h("p", { class: "trouble small", role: "status", hidden: true });
    this.table.status.append(this.notice);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.waiting = undefined;
    this.changed = () => this.stand();
    this.heard = (/** @type {any} */ message) => this.answered(message);
  }

  begin() {
    this.model.on("change:_stands", this.changed);
    this.model.on("msg:custom", this.heard);
    this.stand();
  }

  leave() {
    clearTimeout(this.waiting);
    this.model.off("change:_stands", this.changed);
    this.model.off("msg:custom", this.heard);
  }

  /** @returns {import("../../page/static/seatline.js").StateUpdate} */
  get stands() {
    return this.model.get("_stands");
  }

  /** At the end the kernel shows everything. */
  get isTold() {
    return this.mover < 0;
  }

  get behind() {
    return this.stands.since;
  }

  get canTakeBack() {
    return this.stands.undoable;
  }

  legal() {
    return this.stands.legal;
  }

  /** @param {number} action */
  choose(action) {
    this.ask({ kind: "play", action });
  }

  takeBack() {
    if (this.canTakeBack) this.ask({ kind: "back" });
  }

  /** @param {{kind: string, action?: number}} message */
  ask(message) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.say(UNHEARD), PATIENCE);
    this.model.send({ ...message, at: this.stands.at });
  }

  /** @param {{kind: string, why?: string}} message */
  answered({ kind, why = "" }) {
    clearTimeout(this.waiting);
    this.say(kind === "refused" ? why : "");
  }

  /** @param {string} text "" for nothing */
  say(text) {
    this.notice.textContent = text;
    this.notice.hidden = !text;
  }

  stand() {
    /** @type {SeatLine} */ (this.line).tell(this.stands);
    this.lay(this.legal().length > 0);
    if (!this.isTold) this.table.side.querySelector(".outcome")?.remove();
  }

  /** @param {boolean} mine */
  turn(mine) {
    return mine && this.viewer < 0 ? `${seatName(this.mover, undefined)} decides` : super.turn(mine);
  }

  end() {
    const { line, seats, table } = this;
    table.side.querySelector(".outcome")?.remove();
    table.side.prepend(h("section", { class: "card stack tight outcome", "aria-label": "Result" }, h("h2", {}, "Result"), standings(/** @type {any} */ (line), seats)));
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    if (!this.legal().length) return;
    if (event.key === "Backspace") this.takeBack();
    else if (this.table.actions.digit(event)) event.preventDefault();
  }
}
