/** The common elements of play, replay and study: seats, board, actions, log. @module */
import { ActionList } from "./actions.js";
import { Board } from "./board.js";
import { h, replace } from "./dom.js";
import { Log } from "./log.js";
import { seatmark } from "./mark.js";
import { Sheet } from "./sheet.js";
import { calledOf } from "./seats.js";
import { capital } from "./words.js";

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
    this.log = new Log(game, seats, jump);
    this.seatbar = h("ol", { class: "seats", "aria-label": "Seats" });
    this.heading = h("h1", { tabindex: "-1" });
    this.tools = h("div", { class: "row tools" });
    this.why = h("p", { class: "soft small why", role: "status", hidden: true });
    this.status = h("div", { class: "status" }, this.heading, this.tools, this.log.latest, this.why);
    this.sheet = new Sheet(game);
    this.side = h("div", { class: "side" }, this.actions.element, this.sheet.element, this.log.element);
    this.actions.pointed = (action) => this.board.preview(action);
    this.board.pointed = (actions) => this.actions.mark(actions);
    new ResizeObserver(() => this.element.style.setProperty("--pinned", `${this.status.offsetHeight}px`)).observe(this.status);
    this.element = h("div", { class: "table" }, this.status, this.seatbar, this.board.element, this.side, this.actions.bubble.element);
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
    const words = this.game.words(kernel.players), mover = kernel.mover(state);
    // What the player to move knows is told to that seat, and to who sees everything.
    const told = words && (viewer < 0 ? line.isWhole : viewer === mover);
    const effects = (/** @type {number} */ action) => (told ? words.outlook(state, mover, action) : "");
    // What follows from an action in every sampled state, as the player to move sees it.
    const after = (/** @type {number} */ action) => (told ? words.tried(state, mover, action).results : []);
    this.element.toggleAttribute("data-mine", actions.length > 0);
    this.board.show(kernel, state, { viewer, actions, words, before: before === null ? null : line.states[before], effects, after, asked: words && ((place) => this.explain(words, state, place, Boolean(told))) });
    this.why.hidden = true;
    this.actions.show(actions, { focus, shares, effects });
    this.log.show(whole ? line : line.upTo(at), viewer, { since, now: whole ? at : -1 });
    this.sheet.show(kernel, state, viewer);
    this.showSeats(kernel, state, viewer);
  }

  /**
   * Explain a place of the board without legal actions, and why it has none.
   * @param {import("./words.js").Words} words @param {Uint8Array} state @param {number} place
   * @param {boolean} asked whether the viewer knows what the player to move knows
   */
  explain(words, state, place, asked) {
    const { drawing } = this.game.manifest.common, { name } = drawing.places[place], title = words.title(drawing.places[place]);
    const actions = drawing.action_places.flatMap((/** @type {number[]} */ places, /** @type {number} */ action) => (places.includes(place) ? [action] : []));
    const reason = asked && actions.length ? words.whyNone(state, actions) : "";
    const text = [reason, words.explain(name)].filter(Boolean).join(" ");
    replace(this.why, title && h("strong", {}, `${capital(title)}: `), document.createTextNode(text));
    this.why.hidden = !text;
  }

  /** @param {import("./kernel.js").Kernel} kernel @param {Uint8Array} state @param {number} viewer */
  showSeats(kernel, state, viewer) {
    const mover = kernel.mover(state), points = mover < 0 ? kernel.totals(state) : kernel.points(state);
    const items = points.map((value, seat) =>
      h(
        "li",
        { class: "seat", "aria-current": mover === seat ? "true" : null, data: { seat, points: value } },
        seatmark(seat, { "aria-hidden": "true" }),
        h("span", {}, h("span", { class: "unseen" }, `Player ${seat}: `), seat === viewer ? "you" : this.seats[seat] ? calledOf(this.seats[seat]) : `player ${seat}`),
        kernel.manifest.has_points || mover < 0 ? h("strong", {}, value) : null,
        this.seats[seat]?.forfeited ? h("span", { class: "badge" }, "forfeited") : this.seats[seat]?.here === false ? h("span", { class: "badge" }, "away") : null,
      ),
    );
    replace(this.seatbar, items);
  }
}
