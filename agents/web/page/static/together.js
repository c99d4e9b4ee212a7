/** Together: tables on the server, for people at different machines and for its agents. @module */
import { button, focusedOf, h, labelled, replace, segments, select } from "./dom.js";
import { linkList } from "./invite.js";
import { forget, hasLinks, knownTables, remember, seatLink } from "./known.js";
import { Refused } from "./line.js";
import { nameField } from "./people.js";
import { rated } from "./seats.js";
import { request } from "./server.js";
import { readSeed } from "./share.js";

/** The options of a seat besides agents. @type {[string, string][]} */
const PEOPLE = [["me", "Me"], ["human", "Another person"]];
/** How many steps later onlookers see the game; "" for a table without onlookers. @type {[string, string][]} */
const DELAYS = [["0", "at once"], ["10", "10 steps late"], ["30", "30 steps late"], ["100", "100 steps late"], ["", "not at all"]];

/** @param {import("./app.js").Context} context @returns {Promise<import("./app.js").Screen>} */
export async function show(context) {
  const table = context.query.get("table");
  if (table !== null) return { element: await linkList(context, table), title: "Links of a table" };
  const game = await context.game(context.chosen), opening = new Opening(context, game);
  opening.askAgents();
  return { element: opening.element, title: `Together ${game.title}` };
}

class Opening {
  /** @param {import("./app.js").Context} context @param {import("./games.js").Game} game */
  constructor(context, game) {
    this.context = context;
    this.game = game;
    /** Agents of the server by number of players. @type {Record<string, string[]>} */
    this.agents = {};
    this.players = game.seats[0];
    this.seats = ["me", "human"];
    this.seatlist = h("div", { class: "stack tight" });
    this.delay = select(DELAYS, "10", () => {}, { name: "delay" });
    this.seed = h("input", { type: "text", inputmode: "numeric", autocomplete: "off", name: "seed" });
    this.trouble = h("p", { class: "trouble", role: "alert", hidden: true });
    this.waiting = h("p", { class: "soft small thinking", role: "status" }, "Loading the agents of the server");
    this.opens = h("button", { class: "primary", type: "submit" }, "Open the table");
    this.element = this.form();
    this.reseat(this.players);
  }

  form() {
    const { game } = this;
    return h(
      "div",
      { class: "narrow stack" },
      h("h1", {}, `${game.title}, together`),
      h(
        "form",
        { class: "columns", on: { submit: (/** @type {Event} */ event) => this.submitted(event) } },
        h("div", { class: "card stack" }, segments("Players", "players", game.seats, this.players, (count) => this.reseat(count)), this.seatlist, this.waiting),
        h(
          "div",
          { class: "card stack" },
          h("p", {}, "Each person sits at a different machine and sees the view of one seat. The server keeps the game: you can leave and come back at any time."),
          nameField(),
          labelled("Onlookers see the game", this.delay),
          labelled("Seed of the game (empty: a random one)", this.seed),
          this.trouble,
          this.opens,
        ),
      ),
      knownList(this.context),
    );
  }

  /** Load the agents of the server. */
  async askAgents() {
    try {
      const { agents } = await request("agents");
      this.agents = agents[this.game.entry.name] ?? {};
      const focused = /** @type {any} */ (focusedOf(this.seatlist))?.dataset.seat;
      this.reseat(this.players);
      this.focus(focused);
    } catch (error) {
      this.say(error);
    }
    this.waiting.hidden = true;
  }

  /** @param {any} error */
  say(error) {
    this.trouble.textContent = error.message;
    this.trouble.hidden = false;
  }

  /** @param {number | string | undefined} seat whose control gets the focus */
  focus(seat) {
    if (seat !== undefined) /** @type {any} */ (this.seatlist.querySelector(`select[data-seat="${seat}"]`))?.focus();
  }

  /** @param {number} players */
  reseat(players) {
    this.players = players;
    const agents = this.agents[players] ?? [];
    const options = [...PEOPLE, ...agents.map((name) => rated(this.game, players, name))];
    this.seats = Array.from({ length: players }, (_, number) => this.seats[number] ?? "human");
    this.seats = this.seats.map((seat) => (options.some(([name]) => name === seat) ? seat : "human"));
    const controls = this.seats.map((seat, number) =>
      labelled(`Player ${number}`, select(options, seat, (value) => this.give(number, value), { data: { seat: number } })),
    );
    replace(this.seatlist, controls);
  }

  /** Assign a seat; you can have only one. @param {number} number @param {string} value */
  give(number, value) {
    this.seats = this.seats.map((seat, other) => (other === number ? value : value === "me" && seat === "me" ? "human" : seat));
    this.reseat(this.players);
    this.focus(number);
  }

  /** @param {Event} event */
  async submitted(event) {
    event.preventDefault();
    this.opens.disabled = true;
    try {
      const typed = this.seed.value.trim(), mine = this.seats.indexOf("me"), game = this.game.entry.name;
      const seats = this.seats.map((seat) => (seat === "me" ? "human" : seat));
      if (!seats.includes("human")) throw new Refused("seats: at least one must be a person");
      const seed = typed ? String(readSeed(typed)) : null;
      const own = mine < 0 ? null : mine, delay = this.delay.value ? Number(this.delay.value) : null;
      const { table, tokens, invitations, onlooker } = await request("tables", { game, players: this.players, seed, seats, mine: own, delay });
      remember({ table, game, seats, tokens, invitations, mine: own, onlooker });
      const others = Object.keys(invitations).length > 0;
      // On another screen the table is found in the list.
      if (this.opens.isConnected) this.context.go(others ? `together?table=${encodeURIComponent(table)}` : seatLink(tokens[mine]).slice(1));
    } catch (error) {
      this.say(error);
    }
    this.opens.disabled = false;
  }
}

/** Tables that this browser knows. @param {import("./app.js").Context} context */
function knownList(context) {
  const items = knownTables().map((known) => {
    const { table, game, seats, tokens, mine, seen, over, onlooker } = known;
    const title = context.entries.find(({ name }) => name === game)?.title ?? game;
    const item = h(
      "li",
      { class: "row knowntable" },
      h("span", {}, `${title}, ${seats.length} players`, h("span", { class: "soft small" }, ` · ${over ? "over · " : ""}${new Date(seen).toLocaleString()}`)),
      mine !== null && h("a", { class: "button", href: seatLink(tokens[mine]) }, over ? "See how it ended" : "Sit down"),
      mine === null && onlooker && h("a", { class: "button", href: seatLink(onlooker) }, over ? "See how it ended" : "Look on"),
      !over && hasLinks(known) && h("a", { class: "button quiet", href: `#together?table=${encodeURIComponent(table)}` }, "Links"),
      button("✕", () => {
        forget(table);
        item.remove();
      }, { class: "quiet round", "aria-label": `Forget the table of ${title}` }),
    );
    return item;
  });
  return items.length > 0 && h("section", { class: "card stack tight", "aria-label": "Your tables" }, h("h2", {}, "Your tables"), h("ul", { class: "stack tight" }, items));
}
