/** A table: clicks go to the kernel, which plays, and says how the table stands. @module */
import { h, replace } from "../../page/static/dom.js";
import { Course } from "../../page/static/line.js";
import { standings } from "../../page/static/outcome.js";
import { seatName } from "../../page/static/seats.js";
import { Table, phaseOf } from "../../page/static/table.js";

/** Milliseconds that a kernel which is there and idle needs at most to say that it has heard. */
const PATIENCE = 4000;
const UNHEARD = "No kernel has answered yet: it is busy, or there is none. Run the cell again to play.";

/** @param {string} text base64 @returns {Uint8Array} */
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** The game as the kernel tells of it. */
class Told extends Course {
  /** @param {import("../../page/static/kernel.js").Kernel} kernel @param {any} stands the kernel's message */
  constructor(kernel, { at, state, log, before, since }) {
    super(kernel);
    this.seats = log.map((/** @type {[number, number | null]} */ [seat]) => seat);
    this.actions = log.map((/** @type {[number, number | null]} */ [, action]) => action);
    if (before) this.states[since] = bytesOf(before);
    this.states[at] = bytesOf(state);
  }

  /** @param {number} at */
  mover(at) {
    return this.seats[at] ?? super.mover(at);
  }
}

export class Sitting {
  /** @param {import("../../page/static/games.js").Game} game @param {any} model */
  constructor(game, model) {
    this.model = model;
    this.kernel = game.kernel(model.get("_players"));
    this.viewer = model.get("_viewer");
    this.seats = model.get("_seats").map((/** @type {string} */ agent) => ({ agent }));
    this.table = new Table(game, this.seats, (action) => this.choose(action));
    this.trouble = h("p", { class: "trouble", role: "alert", hidden: true });
    this.result = h("section", { class: "card stack tight outcome", "aria-label": "Result", hidden: true });
    replace(this.table.tools, this.table.board.zoomed);
    this.table.side.prepend(this.trouble, this.result);
    this.element = this.table.element;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.waiting = undefined;
    this.changed = () => this.show();
    this.heard = (/** @type {any} */ message) => this.told(message);
  }

  begin() {
    this.model.on("change:_stands", this.changed);
    this.model.on("msg:custom", this.heard);
    this.show();
  }

  end() {
    clearTimeout(this.waiting);
    this.model.off("change:_stands", this.changed);
    this.model.off("msg:custom", this.heard);
  }

  /** @param {number} action */
  choose(action) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.say(UNHEARD), PATIENCE);
    this.model.send({ kind: "play", at: this.model.get("_stands").at, action });
  }

  /** @param {{kind: string, why?: string}} message */
  told({ kind, why = "" }) {
    clearTimeout(this.waiting);
    this.say(kind === "refused" ? why : "");
  }

  /** @param {string} text "" for nothing */
  say(text) {
    this.trouble.textContent = text;
    this.trouble.hidden = !text;
  }

  show() {
    const stands = this.model.get("_stands"), { at, mover, legal, since, before } = stands, { table, seats } = this;
    const course = new Told(this.kernel, stands), over = mover < 0, viewer = over ? -1 : this.viewer;
    this.say("");
    table.show(course, { viewer, actions: legal, before: before && since < at ? since : null, since });
    const round = course.round(at), phase = phaseOf(this.kernel, course.last);
    const where = over ? "" : [round > 0 && `round ${round}`, phase].filter(Boolean).join(", ");
    const decides = mover === viewer ? "Your turn" : legal.length ? `${seatName(mover, undefined)} decides` : `${seatName(mover, seats[mover])} is to decide`;
    replace(table.heading, over ? "The game is over" : decides, where ? h("span", { class: "soft" }, ` · ${where}`) : null);
    this.result.hidden = !over;
    if (over) replace(this.result, h("h2", {}, "Result"), standings(course, seats));
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    if (this.table.actions.digit(event)) event.preventDefault();
  }
}
