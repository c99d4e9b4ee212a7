/** A seat at a table of the server. @module */
import { Connection } from "./connection.js";
import { announce, button, h, replace } from "./dom.js";
import { Insight } from "./insight.js";
import { claimOf, hasLinks, knownTable, remember, seatLink } from "./known.js";
import { Refused, lineOf } from "./line.js";
import { Notice } from "./notice.js";
import { PHRASES, nameField, ownName, phraseList } from "./people.js";
import { say } from "./say.js";
import { SeatLine } from "./seatline.js";
import { isHuman } from "./seats.js";
import { linkOf } from "./share.js";
import { Session } from "./session.js";

/** Milliseconds until a pending request is shown, and until the connection is replaced. */
const [SPOKEN, PATIENCE] = [400, 8000];

/** @param {import("./app.js").Context} context @returns {Promise<import("./app.js").Screen>} */
export async function show(context) {
  const token = context.query.get("k"), invitation = context.query.get("invitation");
  if (!token && !invitation) throw new Refused("the link names no seat (k= or invitation=)");
  return new SeatScreen(context, token ?? claimOf(invitation ?? ""), invitation).screen();
}

/** Wait for the server's first answer, then show the table. */
class SeatScreen {
  /** @param {import("./app.js").Context} context @param {string} token @param {string | null} invitation that the token replaces */
  constructor(context, token, invitation) {
    this.context = context;
    this.token = token;
    /** Whether the person is asked for a name: who follows an invitation has no seat yet. */
    this.asks = invitation !== null && ownName() === null;
    /** @type {RemoteMatch | null} */
    this.match = null;
    /** Messages of the server are handled one after the other. */
    this.heard = Promise.resolve();
    this.element = h("div", {}, h("section", { class: "cover" }, h("h1", { class: "thinking" }, "To the table")));
    this.connection = new Connection(invitation ?? token, {
      message: (message) => (this.heard = this.heard.then(() => this.hear(message)).catch((error) => this.stop(error.message))),
      broken: (pause) => this.broken(pause),
      ended: (why) => this.stop(why),
    }, invitation ? token : undefined);
  }

  /** Ask for a name, then sit down. */
  ask() {
    const sit = (/** @type {Event} */ event) => {
      event.preventDefault();
      replace(this.element, h("section", { class: "cover" }, h("h1", { class: "thinking" }, "To the table")));
      this.connection.begin();
    };
    replace(this.element, h("div", { class: "narrow stack" }, h("h1", {}, "You are invited to a table"), h("form", { class: "card stack", on: { submit: sit } }, nameField(), h("button", { class: "primary", type: "submit" }, "Sit down"))));
  }

  screen() {
    if (this.asks) this.ask();
    else this.connection.begin();
    return {
      element: this.element,
      title: "Your seat",
      leave: () => this.leave(),
      keyed: (/** @type {KeyboardEvent} */ event) => this.match?.keyed(event),
    };
  }

  leave() {
    this.connection.close();
    this.match?.stop();
  }

  /** @param {any} message */
  async hear(message) {
    if (message.kind === "seated" && !this.match) await this.sit(message);
    else this.match?.hear(message);
  }

  /** @param {any} seated */
  async sit({ table, game: name, version, components, players, seat, seats, analysis, delay, said = [] }) {
    const { context, token } = this, game = await context.game(name), kernel = game.kernel(players);
    if (this.connection.closed) return;
    if (game.manifest.version !== version) throw new Refused(`the table is of version ${version} of ${game.title}, this page has ${game.manifest.version}: close it everywhere, then open it again`);
    if (kernel.digest !== components) throw new Refused("the table has other components than this page");
    const own = seat < 0 ? { tokens: {}, mine: knownTable(table)?.mine ?? null, onlooker: token } : { tokens: { [seat]: token }, mine: seat, analysis };
    const known = { table, game: name, seats: seats.map((/** @type {any} */ one) => one.agent), ...own };
    remember(known);
    // An invitation is void now; the address becomes that of the seat.
    history.replaceState(null, "", seatLink(token));
    this.match = new RemoteMatch(game, new SeatLine(kernel), seats, {
      seat,
      analysis,
      delay,
      connection: this.connection,
      table,
      over: (link) => remember({ ...known, over: link }),
      again: () => context.go("together"),
    });
    this.match.table.log.restore(said.map((/** @type {[number, number, string]} */ [at, by, phrase]) => ({ at, seat: by, text: PHRASES[phrase] ?? phrase })));
    replace(this.element, this.match.element);
    document.title = `${say(seat < 0 ? "Onlooker" : `Player ${seat}`)}, ${game.title} · ${say("At the table")}`;
  }

  /** @param {number} pause */
  broken(pause) {
    if (this.match) this.match.broken(pause);
    else replace(this.element, h("section", { class: "cover" }, h("h1", {}, "The server cannot be reached"), h("p", { class: "soft" }, `It is asked again in ${Math.ceil(pause / 1000)} s, and so on.`), button("Ask now", () => this.connection.again(), { class: "primary" })));
  }

  /** @param {string} why */
  stop(why) {
    this.connection.close();
    this.match?.stop();
    replace(this.element, h("div", { class: "narrow stack" }, h("h1", {}, "This seat cannot be taken"), h("p", { class: "trouble", role: "alert" }, why), h("div", { class: "row" }, button("Try again", () => this.context.go(location.hash.slice(1)), { class: "primary" }), h("a", { class: "button", href: "#together" }, "To the tables"))));
  }
}

/**
 * @typedef {object} Place
 * @property {number} seat -1 for an onlooker
 * @property {number} [delay] the number of steps by which an onlooker sees the game late
 * @property {string | null} analysis the agent that gives hints
 * @property {Connection} connection
 * @property {string} table
 * @property {(link: string) => void} over called at the end, with a link to the game
 * @property {() => void} again
 */

/**
 * A request to the server: an action, or an undo if it has none.
 * @typedef {object} Asked
 * @property {string} kind
 * @property {number} at
 * @property {number} [action]
 */

class RemoteMatch extends Session {
  /**
   * @param {import("./games.js").Game} game
   * @param {SeatLine} line
   * @param {import("./seats.js").Seat[]} seats
   * @param {Place} place
   */
  constructor(game, line, seats, place) {
    super(game, line, seats, place.again);
    /** The updates of the server; `line` is the same object until the game is over. */
    this.seen = line;
    this.place = place;
    this.viewer = place.seat;
    /** @type {import("./seatline.js").StateUpdate | null} */
    this.stands = null;
    /** The request without an answer. @type {Asked | null} */
    this.pending = null;
    this.online = true;
    /** @type {ReturnType<typeof setTimeout>[]} */
    this.timers = [];
    this.notice = h("p", { class: "trouble small", role: "status", hidden: true });
    this.table.status.append(this.notice);
    this.undo.hidden = this.isOnlooker;
    this.attention = new Notice();
    this.phrases = phraseList((phrase) => place.connection.send({ kind: "say", phrase }));
    this.table.status.append(this.phrases.list);
    this.hint = button("Hint", () => this.askHint(), { class: "quiet", title: `${place.analysis} sees your view, and nothing else.` });
    this.insight = new Insight(game, () => {});
    this.insight.element.classList.add("hinted");
    this.advice(null);
    this.table.side.prepend(this.insight.element);
  }

  get behind() {
    return this.stands?.since ?? 0;
  }

  get canTakeBack() {
    return this.mine && this.stands !== null && this.stands.undoable;
  }

  /** Whether this seat is asked, and can be heard. */
  get mine() {
    return this.online && !this.pending && this.mover >= 0 && this.mover === this.viewer;
  }

  get isOnlooker() {
    return this.place.seat < 0;
  }

  legal() {
    return this.stands?.legal ?? [];
  }

  /** @param {any} message */
  hear(message) {
    if (message.kind === "seated") this.back(message.seats);
    else if (message.kind === "stands") this.stand(message);
    else if (message.kind === "over") this.finish(message);
    else if (message.kind === "here") this.meet(message.seats);
    else if (message.kind === "forfeit") this.forfeit(message);
    else if (message.kind === "named") this.rename(message.seat, message.name);
    else if (message.kind === "said") this.table.log.say(message.seat, PHRASES[message.phrase] ?? message.phrase);
    else if (message.kind === "hint") this.advise(message);
    else if (message.kind === "refused") this.refused(message.why);
  }

  /** The connection is back. @param {import("./seats.js").Seat[]} seats */
  back(seats) {
    this.online = true;
    this.say("");
    seats.forEach(({ forfeited, name }, seat) => {
      this.seats[seat].forfeited = forfeited;
      this.rename(seat, name);
    });
    this.meet(seats.map(({ here }) => here ?? true));
  }

  /** @param {import("./seatline.js").StateUpdate} stands */
  stand(stands) {
    const { pending, seen } = this, waited = this.stands?.mover !== this.viewer;
    this.settle();
    seen.tell(stands);
    this.stands = stands;
    this.say(pending ? this.lost(pending, stands) : "");
    if (this.isTold) return;
    this.advice(null);
    const fresh = this.lay(this.mine);
    if (!this.mine) this.attention.clear();
    else if (waited) this.attention.turn();
    if (this.mine) this.call(fresh);
  }

  /** The message about a request that was under way when the connection broke. @param {Asked} pending @param {import("./seatline.js").StateUpdate} stands */
  lost({ at, action }, stands) {
    if (stands.mover !== this.viewer) return "";
    if (action === undefined) return stands.at < at ? "" : "Nothing was undone: the connection was lost. Try again.";
    return stands.at > at ? "" : `“${this.game.text(action)}” has not reached the table: choose again.`;
  }

  /** The game has ended, and all of it is public. @param {{seed: string, actions: number[], places: number[]}} whole */
  finish({ seed, actions, places }) {
    if (this.isTold) return;
    places.forEach((place, seat) => (this.seats[seat].place = place));
    const line = lineOf(this.seen.kernel, BigInt(seed), actions);
    this.line = line;
    this.insight.element.hidden = true;
    this.place.over(linkOf(line, "replay"));
    this.lay(false);
  }

  /** Who is connected. @param {boolean[]} here */
  meet(here) {
    const before = this.seats.map((seat) => seat.here);
    here.forEach((is, seat) => (this.seats[seat].here = is));
    if (!this.stands) return;
    this.table.showSeats(this.line.kernel, this.line.last, this.isTold ? -1 : (this.viewer ?? -1));
    const changed = here.flatMap((is, seat) => (is !== before[seat] && seat !== this.viewer ? [`Player ${seat} is ${is ? "here" : "away"}`] : []));
    if (changed.length) announce(changed.join(", "));
  }

  /** A person has another name. @param {number} seat @param {string | undefined} name */
  rename(seat, name) {
    if (this.seats[seat].name === name) return;
    this.seats[seat].name = name;
    this.table.log.rename(seat);
    if (!this.stands) return;
    this.meet(this.seats.map(({ here }) => here ?? true));
    if (!this.isTold) this.showStatus(this.mine);
  }

  /** A seat has forfeited, and an agent plays it. @param {{seat: number, why: string}} message */
  forfeit({ seat, why }) {
    this.seats[seat].forfeited = why;
    this.meet(this.seats.map(({ here }) => here ?? true));
    const reason = { answers: "too many refused answers", time: "no time left", left: "left the game" }[why];
    announce(`Player ${seat} has forfeited: ${reason}`);
  }

  /** @param {number} action */
  choose(action) {
    if (!this.mine || !this.legal().includes(action) || this.asksAbout(action)) return;
    this.ask({ kind: "play", at: this.line.length, action });
  }

  takeBack() {
    if (this.canTakeBack) this.ask({ kind: "back", at: this.line.length });
  }

  /** Send a request that changes the table, and wait for the update. @param {Asked} message */
  ask(message) {
    const { connection } = this.place;
    if (!connection.send(message)) return;
    this.pending = message;
    this.timers = [
      setTimeout(() => this.showStatus(false), SPOKEN),
      setTimeout(() => connection.renew(), PATIENCE),
    ];
  }

  /** Nothing is on its way any more. */
  settle() {
    this.timers.forEach(clearTimeout);
    this.timers = [];
    this.pending = null;
  }

  /** The person leaves the table. */
  stop() {
    this.settle();
    this.attention.stop();
  }

  /** @param {boolean} mine */
  turn(mine) {
    if (!this.online && !this.isTold) return "Not connected";
    return this.pending ? "On its way to the table" : super.turn(mine);
  }

  /** @returns {any[]} */
  tools() {
    const known = knownTable(this.place.table), { delay } = this.place;
    const people = this.seats.filter(isHuman).length;
    this.hint.disabled = !this.mine || this.legal().length < 2;
    const own = this.isOnlooker ? [!this.isTold && h("span", { class: "soft small" }, delay ? `you look on, ${delay} steps late` : "you look on")] : [this.place.analysis && !this.isTold && this.hint, people > 1 && this.phrases.opener, !this.isTold && this.attention.control];
    return [own, known && hasLinks(known) && !this.isTold && h("a", { class: "button quiet", href: `#together?table=${encodeURIComponent(this.place.table)}` }, "Links")];
  }

  /** @param {string} text "" takes it away */
  say(text) {
    replace(this.notice, text);
    this.notice.hidden = !text;
  }

  /** @param {string} why */
  refused(why) {
    this.settle();
    this.say(why);
    if (!this.stands || this.isTold) return;
    if (!this.isOnlooker && this.mover !== this.viewer && !isHuman(this.seats[this.mover])) this.notice.append(" ", button("Ask again", () => this.place.connection.send({ kind: "retry" })));
    this.advice(null);
    this.lay(this.mine);
  }

  /** @param {number} pause */
  broken(pause) {
    this.timers.forEach(clearTimeout);
    this.online = false;
    if (this.isTold) return;
    this.say(`The connection to the server is lost; the next try is in ${Math.ceil(pause / 1000)} s. `);
    this.notice.append(button("Now", () => this.place.connection.again()));
    this.insight.element.hidden = true;
    if (this.stands) this.lay(false);
  }

  askHint() {
    if (this.hint.disabled || !this.place.connection.send({ kind: "hint", at: this.line.length })) return;
    this.hint.disabled = true;
    this.insight.element.hidden = false;
    this.insight.say(`${this.place.analysis} is thinking …`);
  }

  /** @param {import("./analyst.js").Advice} hint */
  advise(hint) {
    if (hint.at !== this.line.length || !this.mine) return;
    this.advice(hint);
    this.lay(true, new Map(hint.actions));
  }

  /** Show a hint. @param {import("./analyst.js").Advice | null} hint null for none */
  advice(hint) {
    const { insight } = this;
    insight.element.hidden = !hint;
    insight.clear();
    insight.say("");
    if (hint) insight.showAdvice(hint, this.viewer ?? 0, null);
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    if (event.key === "h" && this.place.analysis && !event.ctrlKey && !event.altKey && !event.metaKey) this.askHint();
    else super.keyed(event);
  }
}
