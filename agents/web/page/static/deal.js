/** The deal of the day: all people and the agents of the ladder play the same deal from the same seat. @module */
import { h, replace } from "./dom.js";
import { lineOf } from "./line.js";
import { Match } from "./match.js";
import { agentsOf } from "./seats.js";
import { DIGITS } from "./share.js";
import { keep, kept } from "./store.js";
import { isStop } from "./thinker.js";

/** The seat that is compared. */
const SEAT = 0;

/** Today as a number, the same everywhere on earth at the same time: 20261122. */
export const today = (now = new Date()) => Number(now.toISOString().slice(0, 10).replaceAll("-", ""));

/** @param {import("./app.js").Context} context @returns {Promise<import("./app.js").Screen>} */
export async function show(context) {
  const game = await context.game(context.chosen), players = game.seats[0], kernel = game.kernel(players);
  const asked = context.query.get("deal") ?? "", day = /^\d{8}$/.test(asked) ? Number(asked) : today();
  return new Deal(context, game, kernel, day).screen();
}

class Deal {
  /** @param {import("./app.js").Context} context @param {import("./games.js").Game} game @param {import("./kernel.js").Kernel} kernel @param {number} day */
  constructor(context, game, kernel, day) {
    this.context = context;
    this.game = game;
    this.kernel = kernel;
    this.day = day;
    // Of this version and these components: actions of other versions do not apply.
    this.place = `deal-${game.entry.name}-${game.manifest.version}-${kernel.digest.slice(0, DIGITS)}-${day}`;
    this.agents = agentsOf(game, kernel.players).map(([name]) => name).filter((name) => name !== "search");
    const rated = game.ratings(kernel.players);
    const planners = this.agents.filter((name) => name !== "network").sort((a, b) => (rated.get(b) ?? 0) - (rated.get(a) ?? 0));
    /** The agent of all other seats. */
    this.opponent = planners[0];
    this.stopped = new AbortController();
    /** @type {import("./seats.js").Seat[]} */
    const seats = Array.from({ length: kernel.players }, (_, seat) => ({ agent: seat === SEAT ? "human" : this.opponent }));
    this.line = lineOf(kernel, BigInt(day), kept(this.place)?.actions ?? []);
    this.match = new Match(game, this.line, seats, context, `study?deal=${day}`, {
      moved: () => this.moved(),
      again: () => context.go("play"),
    });
    this.ladder = h("section", { class: "card stack tight dealt", "aria-label": "Deal of the day" });
    this.element = h("div", {}, this.match.element);
  }

  screen() {
    this.match.go();
    if (this.line.isOver) this.compare();
    return {
      element: this.element,
      title: "Deal of the day",
      leave: () => {
        this.match.stop();
        this.stopped.abort();
      },
      keyed: (/** @type {KeyboardEvent} */ event) => this.match.keyed(event),
    };
  }

  moved() {
    keep(this.place, { actions: this.line.actions });
    if (this.line.isOver) this.compare();
  }

  /** Plays the deal with each agent in the compared seat. */
  async compare() {
    const { kernel, agents, opponent, day, stopped } = this;
    const title = h("h2", {}, `Deal of ${String(day).replace(/(\d{4})(\d\d)(\d\d)/, "$1-$2-$3")}`);
    replace(this.ladder, title, h("p", { class: "soft small thinking" }, "The agents play the same deal"));
    this.element.append(h("div", { class: "narrow" }, this.ladder));
    try {
      const asked = { seed: BigInt(day), seat: SEAT, agents, opponent };
      /** @type {{agent: string, totals: number[], places: number[]}[]} */
      const found = await this.context.thinker.ask("deal", kernel, asked, { signal: stopped.signal });
      const mine = { agent: "you", totals: kernel.totals(this.line.last), places: kernel.places(this.line.last) };
      const lead = (/** @type {number[]} */ totals) => totals[SEAT] - Math.max(...totals.filter((_, seat) => seat !== SEAT));
      const rows = [mine, ...found].sort((a, b) => a.places[SEAT] - b.places[SEAT] || lead(b.totals) - lead(a.totals));
      const cells = rows.map(({ agent, totals, places }) =>
        h("tr", { class: agent === "you" ? "mine" : null, data: { agent } }, h("td", {}, agent), h("td", { class: "number" }, totals[SEAT]), h("td", { class: "number" }, totals.filter((_, seat) => seat !== SEAT).join(", ")), h("td", { class: "number" }, places[SEAT])),
      );
      const heads = [`As player ${SEAT}`, "its total", "the others'", "place"];
      replace(this.ladder, title, h("p", { class: "soft small" }, `The other seats are played by ${opponent}.`), h("table", {}, h("thead", {}, h("tr", {}, heads.map((text, i) => h("th", { class: i ? "number" : null }, text)))), h("tbody", {}, cells)));
    } catch (error) {
      if (!isStop(error)) replace(this.ladder, title, h("p", { class: "trouble" }, /** @type {Error} */ (error).message));
    }
  }
}
