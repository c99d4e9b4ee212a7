/** Play: the choice of seats, and the game. @module */
import { button, h, labelled, replace, segments } from "./dom.js";
import { Match } from "./match.js";
import { linkOf, newSeed, readSeed } from "./share.js";
import { seatControls, strongestOf } from "./seats.js";
import { lineOf } from "./line.js";
import { lineOfLink } from "./load.js";
import { keep, kept } from "./store.js";

/** @typedef {import("./seats.js").Seat} Seat */

/** @param {import("./app.js").Context} context @returns {Promise<import("./app.js").Screen>} */
export async function show(context) {
  const game = await context.game(context.chosen);
  return new Setup(context, game).screen();
}

/** The storage key of a game in progress. @param {import("./games.js").Game} game */
const place = (game) => `playing-${game.entry.name}`;

class Setup {
  /** @param {import("./app.js").Context} context @param {import("./games.js").Game} game */
  constructor(context, game) {
    this.context = context;
    this.game = game;
    this.players = game.seats[0];
    /** @type {Seat[]} */
    this.seats = [];
    /** @type {Match | null} */
    this.match = null;
    this.element = h("div");
    this.seatlist = h("div", { class: "stack tight" });
    this.seed = h("input", { type: "text", inputmode: "numeric", autocomplete: "off", name: "seed", value: String(newSeed()) });
    this.trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  }

  screen() {
    this.reseat(this.players);
    replace(this.element, this.form());
    return {
      element: this.element,
      title: `Play ${this.game.title}`,
      leave: () => this.match?.stop(),
      keyed: (/** @type {KeyboardEvent} */ event) => this.match?.keyed(event),
    };
  }

  form() {
    const { game } = this;
    const numbers = segments("Players", "players", game.seats, this.players, (count) => this.reseat(count));
    const left = kept(place(game));
    return h(
      "div",
      { class: "narrow stack" },
      h("h1", {}, game.title),
      h(
        "form",
        { class: "columns", on: { submit: (/** @type {Event} */ event) => this.submitted(event) } },
        h("div", { class: "card stack" }, numbers, this.seatlist),
        h(
          "div",
          { class: "card stack" },
          h("div", { class: "beside" }, labelled("Seed of the game", this.seed), button("Another", () => (this.seed.value = String(newSeed())), { "aria-label": "Another seed" })),
          h("p", { class: "soft small" }, "The same seed deals the same game. Numbers behind agents are ratings of the published ladder."),
          this.trouble,
          h("button", { class: "primary", type: "submit" }, "Start the game"),
          left && button("Resume the last game", () => this.resume(left)),
          game.entry.lesson && h("a", { class: "button", href: "#learn", title: "A guided first round" }, "Learn"),
          h("a", { class: "button", href: "#study?deal=today" }, "Deal of the day"),
        ),
      ),
      game.about && h("p", { class: "soft" }, game.about),
    );
  }

  /** @param {number} players */
  reseat(players) {
    this.players = players;
    const strongest = strongestOf(this.game, players);
    while (this.seats.length < players) this.seats.push({ agent: this.seats.length ? strongest : "human" });
    this.seats.length = players;
    replace(this.seatlist, this.seats.map((seat, number) => seatControls(this.game, players, number, seat)));
  }

  /** @param {Event} event */
  submitted(event) {
    event.preventDefault();
    try {
      this.begin(lineOf(this.game.kernel(this.players), readSeed(this.seed.value), []), this.seats.map((seat) => ({ ...seat })));
    } catch (error) {
      this.say(error);
    }
  }

  /** @param {{link: string, seats: Seat[]}} left */
  async resume({ link, seats }) {
    try {
      const { line } = await lineOfLink(this.context, new URLSearchParams(link.split("?")[1]));
      this.begin(line, seats);
    } catch (error) {
      this.say(error);
    }
  }

  /** @param {unknown} error */
  say(error) {
    this.trouble.textContent = /** @type {Error} */ (error).message;
    this.trouble.hidden = false;
  }

  /** @param {import("./line.js").Line} line @param {Seat[]} seats */
  begin(line, seats) {
    const moved = () => keep(place(this.game), line.isOver ? null : { link: linkOf(line, "play"), seats });
    moved();
    this.match = new Match(this.game, line, seats, this.context.thinker, {
      moved,
      again: () => {
        this.match?.stop();
        this.match = null;
        this.seed.value = String(newSeed());
        replace(this.element, this.form());
      },
    });
    replace(this.element, this.match.element);
    this.match.go();
  }
}
