/** Play: the choice of seats, and the game. @module */
import { button, h, labelled, replace, segments } from "./dom.js";
import { archive } from "./archive.js";
import { Match } from "./match.js";
import { linkOf, newSeed, readSeed } from "./share.js";
import { opponentOf, seatControls } from "./seats.js";
import { Refused, lineOf } from "./line.js";
import { lineOfLink } from "./load.js";
import { addressOf, keepRunning, lastRunning, newId, runningOf } from "./running.js";
import { shelf } from "./shelf.js";

/** @typedef {import("./seats.js").Seat} Seat */

/** @param {import("./app.js").Context} context @returns {Promise<import("./app.js").Screen>} */
export async function show(context) {
  const id = context.query.get("id");
  if (id !== null) return resumed(context, id);
  return new Setup(context, await context.game(context.chosen)).screen();
}

/** A game in progress. @param {import("./app.js").Context} context @param {string} id */
async function resumed(context, id) {
  const running = runningOf(context.chosen, id);
  if (!running) throw new Refused("this browser does not have this game any more");
  const { game, line } = await lineOfLink(context, new URLSearchParams(running.link.split("?")[1]));
  const match = new Match(game, line, running.seats, context, addressOf(context.chosen, id), {
    moved: () => {
      keepRunning(context.chosen, { id, link: linkOf(line, "play"), seats: running.seats, over: line.isOver, since: match.since, undoable: match.undoable });
      if (line.isOver) archive(id, line, running.seats);
    },
    again: () => context.go("play"),
  });
  match.since = running.since ?? match.since;
  match.undoable = running.undoable ?? 0;
  match.go();
  return { element: match.element, title: `Play ${game.title}`, leave: () => match.stop(), keyed: (/** @type {KeyboardEvent} */ event) => match.keyed(event) };
}

class Setup {
  /** @param {import("./app.js").Context} context @param {import("./games.js").Game} game */
  constructor(context, game) {
    this.context = context;
    this.game = game;
    this.players = game.seats[0];
    /** @type {Seat[]} */
    this.seats = [];
    this.element = h("div");
    this.seatlist = h("div", { class: "stack tight" });
    this.seed = h("input", { type: "text", inputmode: "numeric", autocomplete: "off", name: "seed", value: String(newSeed()) });
    this.trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  }

  screen() {
    this.reseat(this.players);
    replace(this.element, this.form());
    return { element: this.element, title: "Games" };
  }

  form() {
    const { game } = this;
    const numbers = segments("Players", "players", game.seats, this.players, (count) => this.reseat(count));
    const left = lastRunning(game.entry.name), { entries } = this.context;
    return h(
      "div",
      { class: "narrow stack" },
      h("h1", {}, "At the table"),
      h("p", { class: "soft" }, "Board games with hidden cards: play, replay and study them in the browser."),
      shelf(entries, game.entry.name),
      h("h2", {}, game.title),
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
          left && (left.id ? h("a", { class: "button", href: `#${addressOf(game.entry.name, left.id)}` }, "Resume the last game") : button("Resume the last game", () => this.begin(left.link, left.seats))),
          game.entry.lesson && h("a", { class: "button", href: "#learn", title: "A guided first round" }, "Learn"),
          game.entry.puzzles && h("a", { class: "button", href: "#puzzle", title: "A position with one clearly best action, another one each day" }, "What would you do?"),
          h("a", { class: "button", href: "#study?deal=today" }, "Deal of the day"),
        ),
      ),
      game.about && h("p", { class: "soft" }, game.about),
    );
  }

  /** @param {number} players */
  reseat(players) {
    this.players = players;
    while (this.seats.length < players) this.seats.push(this.seats.length ? opponentOf(this.game, players) : { agent: "human" });
    this.seats.length = players;
    replace(this.seatlist, this.seats.map((seat, number) => seatControls(this.game, players, number, seat)));
  }

  /** @param {Event} event */
  submitted(event) {
    event.preventDefault();
    try {
      this.begin(linkOf(lineOf(this.game.kernel(this.players), readSeed(this.seed.value), []), "play"), this.seats);
    } catch (error) {
      this.say(error);
    }
  }

  /** @param {unknown} error */
  say(error) {
    this.trouble.textContent = /** @type {Error} */ (error).message;
    this.trouble.hidden = false;
  }

  /** @param {string} link @param {Seat[]} seats */
  begin(link, seats) {
    const { name } = this.game.entry, id = newId();
    keepRunning(name, { id, link, seats, over: false });
    this.context.go(addressOf(name, id));
  }
}
