/** The list of actions, as one seat may read it. @module */
import { button, h } from "./dom.js";
import { readable } from "./games.js";
import { seatName } from "./seats.js";

/** The text of a hidden action. */
export const HIDDEN = "chooses something hidden";

export class Log {
  /**
   * @param {import("./seats.js").Seat[]} seats of the game; empty if they are unknown
   * @param {((at: number) => void) | null} jump to a place, where the log leads somewhere
   */
  constructor(seats, jump = null) {
    this.seats = seats;
    this.jump = jump;
    this.list = h("ol");
    this.pane = h("div", { class: "log", role: "log", "aria-live": jump ? "off" : "polite", "aria-label": "Log of actions", tabindex: "0" }, this.list);
    this.element = h("section", { class: "card stack tight logcard", "aria-label": "Log" }, h("h2", {}, "Log"), this.pane);
    /** @type {{seat: number, text: string | null}[]} */
    this.shown = [];
  }

  /**
   * @param {import("./line.js").Course} line
   * @param {number} viewer
   * @param {{since?: number, now?: number}} [marks] the step from which actions of others are new; the current step
   */
  show(line, viewer, { since = Infinity, now = -1 } = {}) {
    const entries = line.actions.map((_, at) => ({ seat: line.mover(at), text: line.text(at, viewer) }));
    // Screen readers announce new entries only.
    const differs = entries.findIndex(({ seat, text }, at) => seat !== this.shown[at]?.seat || text !== this.shown[at].text);
    const kept = differs < 0 ? entries.length : differs;
    while (this.list.children.length > kept) this.list.lastElementChild.remove();
    this.list.append(...entries.slice(kept).map((one, i) => this.item(one, kept + i)));
    this.shown = entries;
    [...this.list.children].forEach((item, at) => {
      item.classList.toggle("since", at >= since && entries[at].seat !== viewer);
      item.toggleAttribute("data-now", at === now);
    });
    const at = now >= 0 ? this.list.children[Math.min(now, line.length - 1)] : this.list.lastElementChild;
    if (at) this.pane.scrollTop = at.offsetTop - this.pane.clientHeight / 2;
  }

  /** @param {{seat: number, text: string | null}} entry @param {number} at */
  item({ seat, text }, at) {
    const words = [
      h("span", { class: "seatmark", data: { seat } }, seat),
      h("span", { class: "unseen" }, `${seatName(seat, this.seats[seat])}: `),
      h("span", {}, text === null ? h("em", {}, HIDDEN) : readable(text)),
    ];
    const { jump } = this;
    return h("li", {}, jump ? button(words, () => jump(at), { class: "quiet entry" }) : h("span", { class: "entry" }, words));
  }
}
