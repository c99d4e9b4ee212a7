/** Together: tables on the server, for people at different machines and for its agents. @module */
import { button, focusedOf, h, labelled, replace, segments, select } from "./dom.js";
import { forget, hasLinks, invitationLink, knownTable, knownTables, remember, seatLink } from "./known.js";
import { Refused } from "./line.js";
import { seatmark } from "./mark.js";
import { copyButton } from "./outcome.js";
import { rated } from "./seats.js";
import { request } from "./server.js";
import { readSeed } from "./share.js";

/** The options of a seat besides agents. @type {[string, string][]} */
const PEOPLE = [["me", "Me"], ["human", "Another person"]];

/** @param {import("./app.js").Context} context @returns {Promise<import("./app.js").Screen>} */
export async function show(context) {
  const table = context.query.get("table");
  if (table !== null) return { element: linkList(context, table), title: "Links of a table" };
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
      const own = mine < 0 ? null : mine;
      const { table, tokens, invitations } = await request("tables", { game, players: this.players, seed, seats, mine: own });
      remember({ table, game, seats, tokens, invitations, mine: own });
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
    const { table, game, seats, tokens, mine, seen, over } = known;
    const title = context.entries.find(({ name }) => name === game)?.title ?? game;
    const item = h(
      "li",
      { class: "row knowntable" },
      h("span", {}, `${title}, ${seats.length} players`, h("span", { class: "soft small" }, ` · ${over ? "over · " : ""}${new Date(seen).toLocaleString()}`)),
      mine !== null && h("a", { class: "button", href: seatLink(tokens[mine]) }, over ? "See how it ended" : "Sit down"),
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

/** Whether only this machine reaches the page's address. */
const isLocal = () => /^(localhost|127\..*|\[::1\])$/.test(location.hostname);

/** The links of a table's seats. @param {import("./app.js").Context} context @param {string} table */
function linkList(context, table) {
  const known = knownTable(table);
  if (!known) throw new Refused("this browser does not know the links of that table");
  const title = context.entries.find(({ name }) => name === known.game)?.title ?? known.game;
  const rows = known.seats.map((seat, number) => h("li", { class: "field", data: { seat: number } }, linkOfSeat(known, seat, number)));
  return h(
    "div",
    { class: "narrow stack" },
    h("h1", {}, "The table is open"),
    h(
      "section",
      { class: "card stack", "aria-label": "Seats" },
      h("p", {}, `${title}, ${known.seats.length} players. An invitation opens its seat once: give each one to one person. The first to follow it has the seat.`),
      isLocal() && h("p", { class: "soft small" }, `The links lead to ${location.host}, which is this machine; other machines need the name of this one in it, and a server that accepts them.`),
      h("ol", { class: "stack" }, rows),
    ),
  );
}

/** The name and the link of one seat. @param {import("./known.js").Known} known @param {string} seat @param {number} number */
function linkOfSeat({ tokens, invitations = {}, mine }, seat, number) {
  const name = h("span", { class: "row tight" }, seatmark(number, { "aria-hidden": "true" }), `Player ${number}: ${number === mine ? "you" : seat === "human" ? "another person" : seat}`);
  if (number === mine) return [name, h("div", {}, h("a", { class: "button primary", href: seatLink(tokens[number]) }, "Sit down"))];
  if (!(number in invitations || number in tokens)) return name;
  const fragment = number in invitations ? invitationLink(invitations[number]) : seatLink(tokens[number]);
  const link = new URL(fragment, location.href).href;
  const shown = h("input", { type: "text", readonly: true, value: link, "aria-label": `Link for player ${number}`, on: { focus: () => shown.select() } });
  const byHand = () => {
    shown.focus();
    return "Copy the selected text";
  };
  return [name, h("div", { class: "beside" }, shown, copyButton(() => link, byHand))];
}
