/** The list of actions with their events, as one seat may read it. @module */
import { button, h, replace } from "./dom.js";
import { seatmark } from "./mark.js";
import { impersonal, written } from "./say.js";
import { seatName } from "./seats.js";
import { kept, keep } from "./store.js";

/** The text of a hidden action. */
export const HIDDEN = "chooses something hidden";

/**
 * A step as a seat may read it.
 * @typedef {object} Entry
 * @property {number} seat
 * @property {number | null} action null for a secret one
 * @property {Uint8Array | undefined} after the state after it, where it is known
 */

export class Log {
  /**
   * @param {import("./games.js").Game} game
   * @param {import("./seats.js").Seat[]} seats of the game; empty if they are unknown
   * @param {((at: number) => void) | null} jump to a place, where the log leads somewhere
   */
  constructor(game, seats, jump = null) {
    this.game = game;
    this.seats = seats;
    this.jump = jump;
    this.list = h("ol");
    this.pane = h("div", { class: "log", role: "log", "aria-live": jump ? "off" : "polite", "aria-label": "Log of actions", tabindex: "0" }, this.list);
    this.details = button("Everything", () => this.unfold(!this.pane.classList.contains("whole")), { class: "quiet small", title: "Also the changes that follow from an action itself" });
    this.element = h("section", { class: "card stack tight logcard", "aria-label": "Log" }, h("div", { class: "row" }, h("h2", {}, "Log"), game.told && this.details), this.pane);
    /** Phrases that were said, by the number of steps before them. @type {{at: number, seat: number, text: string}[]} */
    this.phrases = [];
    /** Those before the first step. */
    this.greetings = h("div");
    this.pane.prepend(this.greetings);
    /** The newest line, which is always in view. */
    this.latest = h("p", { class: "latest small", "aria-hidden": "true" });
    /** @type {Entry[]} */
    this.shown = [];
    /** Who reads. */
    this.viewer = -1;
    this.unfold(kept("log") === "whole");
    /** The step that is shown, -1 for the newest one. */
    this.now = -1;
    // A log that is filled before it is on the screen has no height yet.
    new ResizeObserver(() => this.scroll()).observe(this.pane);
  }

  /** Bring the shown step into view. */
  scroll() {
    const { list: { children }, now, pane } = this, at = /** @type {HTMLElement | undefined} */ (children[Math.min(now, children.length - 1)]);
    pane.scrollTop = at ? at.offsetTop - pane.clientHeight / 2 : pane.scrollHeight;
  }

  /** @param {boolean} whole whether events are told that the action's own text implies */
  unfold(whole) {
    keep("log", whole ? "whole" : null);
    this.pane.classList.toggle("whole", whole);
    this.details.setAttribute("aria-pressed", String(whole));
  }

  /**
   * @param {import("./line.js").Course} line
   * @param {number} viewer
   * @param {{since?: number, now?: number}} [marks] the step from which actions of others are new; the current step
   */
  show(line, viewer, { since = Infinity, now = -1 } = {}) {
    const entries = line.actions.map((_, at) => ({ seat: line.mover(at), action: line.told(at, viewer), after: line.states[at + 1] }));
    // Screen readers announce new entries only.
    const same = (/** @type {Entry} */ one, /** @type {Entry | undefined} */ other) => one.seat === other?.seat && one.action === other.action && one.after === other.after;
    const differs = viewer === this.viewer ? entries.findIndex((one, at) => !same(one, this.shown[at])) : 0;
    const stay = differs < 0 ? entries.length : differs;
    while (this.list.children.length > stay) this.list.lastElementChild?.remove();
    this.list.append(...entries.slice(stay).map((one, i) => this.item(line, viewer, one, stay + i)));
    this.shown = entries;
    this.viewer = viewer;
    [...this.list.children].forEach((item, at) => {
      item.classList.toggle("since", at >= since && entries[at].seat !== viewer);
      item.toggleAttribute("data-now", at === now);
    });
    this.now = now;
    this.scroll();
    const newest = now > 0 ? now - 1 : now < 0 ? entries.length - 1 : -1;
    replace(this.latest, entries[newest] && this.words(line, viewer, entries[newest], newest));
  }

  /** @param {import("./line.js").Course} line @param {number} viewer @param {Entry} entry @param {number} at */
  item(line, viewer, entry, at) {
    const words = this.words(line, viewer, entry, at);
    const { jump } = this, heading = this.heading(line, at);
    const said = this.phrases.filter((one) => one.at === at + 1).map((one) => this.phrase(one));
    return h("li", {}, heading && h("h3", { class: "soft small" }, heading), jump ? button(words, () => jump(at), { class: "quiet entry" }) : h("span", { class: "entry" }, words), said);
  }

  /** Who acts or speaks: the name of a person is in view, that of any other seat is read aloud. @param {number} seat */
  caller(seat) {
    const { name } = this.seats[seat] ?? {};
    return h("span", { class: name ? "called" : "unseen", data: { caller: seat } }, name ? `${written(name)}: ` : `${seatName(seat, this.seats[seat])}: `);
  }

  /** A seat has another name. @param {number} seat */
  rename(seat) {
    const { element, latest } = this;
    [element, latest].forEach((part) => part.querySelectorAll(`[data-caller="${seat}"]`).forEach((old) => old.replaceWith(this.caller(seat))));
  }

  /** Phrases that were said before the log was opened. @param {{at: number, seat: number, text: string}[]} phrases */
  restore(phrases) {
    this.phrases = phrases;
    replace(this.greetings, phrases.filter(({ at }) => at === 0).map((one) => this.phrase(one)));
  }

  /** A seat says something, after the newest step. @param {number} seat @param {string} text */
  say(seat, text) {
    const said = { at: this.shown.length, seat, text };
    this.phrases.push(said);
    (this.list.lastElementChild ?? this.greetings).append(this.phrase(said));
    this.pane.scrollTop = this.pane.scrollHeight;
    replace(this.latest, this.phrase(said));
  }

  /** @param {{seat: number, text: string}} said */
  phrase({ seat, text }) {
    return h("span", { class: "entry said" }, seatmark(seat), this.caller(seat), h("q", {}, text));
  }

  /** A step as elements. @param {import("./line.js").Course} line @param {number} viewer @param {Entry} entry @param {number} at */
  words(line, viewer, { seat, action }, at) {
    const text = action === null ? h("em", {}, HIDDEN) : this.text(action, seat, viewer);
    return [
      seatmark(seat),
      this.caller(seat),
      h("span", { class: "spoken", title: action === null ? null : this.game.notation(action) }, h("span", {}, text), this.events(line, viewer, at)),
    ];
  }

  /** An action as its player reads it, or as others do. @param {number} action @param {number} seat @param {number} viewer */
  text(action, seat, viewer) {
    const text = this.game.text(action);
    return seat === viewer ? text : impersonal(text);
  }

  /** The events of a step; those of phase and turn are left out, headings and seats tell them. @param {import("./line.js").Course} line @param {number} viewer @param {number} at */
  events(line, viewer, at) {
    const words = this.game.words(line.kernel.players), before = line.states[at], after = line.states[at + 1];
    if (!words || !before || !after) return null;
    const { kernel } = line, events = words.changes(kernel.seen(before, viewer), kernel.seen(after, viewer));
    const told = events.filter(({ fact }) => fact.kind !== "phase" && fact.kind !== "current_player");
    told.sort((one, other) => Number(one.fact.aside) - Number(other.fact.aside));
    return h("span", { class: "soft small effects" }, told.map((event) => h("span", { class: event.fact.aside ? "aside" : "told" }, words.clause(event, viewer))));
  }

  /** The round that begins with a step, "" for none. @param {import("./line.js").Course} line @param {number} at */
  heading(line, at) {
    const now = line.states[at], before = line.states[at - 1];
    if (!now) return "";
    const round = line.kernel.round(now), began = round > 0 && (!before || line.kernel.round(before) !== round);
    return began ? `Round ${round}` : "";
  }
}
