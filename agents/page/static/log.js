/** What was chosen, line by line, as one seat may read it. @module */
import { button, h, replace } from "./dom.js";
import { readable } from "./games.js";
import { seatName } from "./seats.js";
import { Told } from "./veiled.js";

/** What stands where a choice was hidden. */
export const HIDDEN = "chooses something hidden";

export class Log {
  /**
   * @param {import("./seats.js").Seat[]} seats who sits where; none where nobody knows
   * @param {((at: number) => void) | null} jump to a place, where the log leads somewhere
   */
  constructor(seats, jump = null) {
    this.seats = seats;
    this.jump = jump;
    this.list = h("ol");
    this.pane = h("div", { class: "log", role: "log", "aria-live": jump ? "off" : "polite", "aria-label": "What was done", tabindex: "0" }, this.list);
    this.element = h("section", { class: "card stack tight logcard", "aria-label": "Log" }, h("h2", {}, "Log"), this.pane);
    /** @type {Told | null} */
    this.told = null;
    this.shown = 0;
  }

  /**
   * @param {import("./line.js").Line} line
   * @param {number} viewer
   * @param {{since?: number, now?: number}} [marks] what the others did from here on is new; the decision one stands before
   */
  show(line, viewer, { since = Infinity, now = -1 } = {}) {
    const told = this.told;
    const goesOn = told && told.seat === viewer && this.shown <= line.length &&
      told.line.states[0] === line.states[0] && told.line.states[this.shown] === line.states[this.shown];
    if (!goesOn) {
      this.told = new Told(line, viewer);
      replace(this.list);
      this.shown = 0;
    } else told.line = line;
    while (this.list.children.length > line.length) this.list.lastElementChild.remove();
    for (; this.shown < line.length; this.shown += 1) this.list.append(this.item(line, this.shown));
    this.shown = line.length;
    [...this.list.children].forEach((item, at) => {
      item.classList.toggle("since", at >= since && line.mover(at) !== viewer);
      item.toggleAttribute("data-now", at === now);
    });
    const at = now >= 0 ? this.list.children[Math.min(now, line.length - 1)] : this.list.lastElementChild;
    if (at) this.pane.scrollTop = at.offsetTop - this.pane.clientHeight / 2;
  }

  /** @param {import("./line.js").Line} line @param {number} at */
  item(line, at) {
    const seat = line.mover(at), text = /** @type {Told} */ (this.told).text(at);
    const words = [
      h("span", { class: "seatmark", data: { seat } }, seat),
      h("span", { class: "unseen" }, `${seatName(seat, this.seats[seat])}: `),
      h("span", {}, text === null ? h("em", {}, HIDDEN) : readable(text)),
    ];
    const { jump } = this;
    return h("li", {}, jump ? button(words, () => jump(at), { class: "quiet entry" }) : h("span", { class: "entry" }, words));
  }
}
