/** The common elements of play, replay and study: seats, board, actions, log. @module */
import { ActionList } from "./actions.js";
import { Board } from "./board.js";
import { h, replace } from "./dom.js";
import { readable } from "./games.js";
import { Log } from "./log.js";
import { calledOf } from "./seats.js";

/** The name of a decision's kind, "" where the game's record does not say. @param {import("./kernel.js").Kernel} kernel @param {Uint8Array} state */
export function phaseOf(kernel, state) {
  const { phases } = kernel.manifest;
  const field = kernel.manifest.state.find((/** @type {any} */ one) => one.name === "phase");
  if (!field) return "";
  return readable(phases[new DataView(state.buffer, state.byteOffset).getInt8(field.offset)] ?? "");
}

export class Table {
  /**
   * @param {import("./games.js").Game} game
   * @param {import("./seats.js").Seat[]} seats
   * @param {(action: number) => void} chosen
   * @param {((at: number) => void) | null} [jump]
   */
  constructor(game, seats, chosen, jump = null) {
    this.game = game;
    this.seats = seats;
    this.board = new Board(game, chosen);
    this.actions = new ActionList(game, chosen);
    this.log = new Log(seats, jump);
    this.seatbar = h("ol", { class: "seats", "aria-label": "Seats" });
    this.heading = h("h1", { tabindex: "-1" });
    this.tools = h("div", { class: "row tools" });
    this.status = h("div", { class: "status" }, this.heading, this.tools);
    this.side = h("div", { class: "side" }, this.actions.element, this.log.element);
    this.element = h("div", { class: "table" }, this.status, this.seatbar, this.board.element, this.side);
  }

  /**
   * Shows a place of a line as a viewer may see it.
   * @param {import("./line.js").Course} line
   * @param {object} how
   * @param {number} how.viewer a seat, -1 for everything
   * @param {number} [how.at] the place, its end without
   * @param {number[]} [how.actions] that may be chosen
   * @param {number | null} [how.before] the place that changes are shown from
   * @param {number} [how.since] the place behind which the log is new
   * @param {boolean} [how.whole] whether the log includes later steps
   * @param {boolean} [how.focus] whether the list of actions gets the focus
   * @param {Map<number, number>} [how.shares]
   */
  show(line, { viewer, at = line.length, actions = [], before = null, since = Infinity, whole = false, focus = false, shares }) {
    const { kernel } = line, state = line.states[at];
    this.board.show(kernel, state, { viewer, actions, before: before === null ? null : line.states[before] });
    this.actions.show(actions, { focus, shares });
    this.log.show(whole ? line : line.upTo(at), viewer, { since, now: whole ? at : -1 });
    this.showSeats(kernel, state, viewer);
  }

  /** @param {import("./kernel.js").Kernel} kernel @param {Uint8Array} state @param {number} viewer */
  showSeats(kernel, state, viewer) {
    const mover = kernel.mover(state), points = mover < 0 ? kernel.totals(state) : kernel.points(state);
    const items = points.map((value, seat) =>
      h(
        "li",
        { class: "seat", "aria-current": mover === seat ? "true" : null, data: { seat, points: value } },
        h("span", { class: "seatmark", data: { seat }, "aria-hidden": "true" }, seat),
        h("span", {}, h("span", { class: "unseen" }, `Player ${seat}: `), seat === viewer ? "you" : this.seats[seat] ? calledOf(this.seats[seat]) : `player ${seat}`),
        kernel.manifest.has_points || mover < 0 ? h("strong", {}, value) : null,
        this.seats[seat]?.here === false ? h("span", { class: "badge" }, "away") : null,
      ),
    );
    replace(this.seatbar, items);
  }
}
