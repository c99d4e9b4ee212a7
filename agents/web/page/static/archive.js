/** The archive: finished games of this browser, a bounded number of them. @module */
import { button, h, replace } from "./dom.js";
import { language } from "./say.js";
import { calledOf, namesOf } from "./seats.js";
import { linkOf, readLink } from "./share.js";
import { keep, kept, keptNames } from "./store.js";

/** The beginning of the storage keys, and the number of games at most. */
const [PREFIX, MOST] = ["archive-", 50];

/**
 * @typedef {object} Past
 * @property {string} name its storage key
 * @property {number} date in milliseconds since 1970
 * @property {string} link
 * @property {string} game
 * @property {string[]} by the players
 * @property {number[]} totals
 */

/** Keep a game that has ended; the oldest one is dropped. @param {string} id @param {import("./line.js").Line} line @param {import("./seats.js").Seat[]} seats */
export function archive(id, line, seats) {
  keep(PREFIX + id, { date: Date.now(), link: linkOf(line, "replay", { by: namesOf(seats) }), totals: line.kernel.totals(line.last) });
  for (const { name } of archived().games.slice(MOST)) keep(name, null);
}

/** A stored game; null for a damaged one. @param {string} name @returns {Past | null} */
function past(name) {
  const { date, link, totals } = kept(name) ?? {};
  try {
    const { game, by, players } = readLink(new URLSearchParams(link.split("?")[1]));
    const isWhole = link.startsWith("#replay?") && Number.isFinite(new Date(date).getTime()) && totals.length === players && totals.every(Number.isInteger);
    return isWhole ? { name, date, link, game, by, totals } : null;
  } catch {
    return null;
  }
}

/** The stored games, the latest one first, and the storage keys of damaged ones. */
function archived() {
  const names = keptNames(PREFIX), games = names.flatMap((name) => past(name) ?? []).sort((a, b) => b.date - a.date);
  return { games, damaged: names.filter((name) => !games.some((one) => one.name === name)) };
}

/** A recorded game as a link, with its players and their totals. @param {any} title @param {string} link @param {string[]} by @param {number[]} totals */
export function gameLink(title, link, by, totals) {
  const players = totals.flatMap((total, seat) => [seat ? " · " : "", by[seat] ? calledOf({ agent: by[seat] }) : `player ${seat}`, ` ${total}`]);
  return h("a", { class: "game", href: link }, h("strong", {}, title), h("span", { class: "soft small" }, players));
}

/** The archive as a card; damaged games are removed with a note. @param {import("./data.d.ts").Entry[]} entries */
export function archiveOf(entries) {
  const { games, damaged } = archived(), head = h("h2", { tabindex: "-1" }, "Your games"), list = h("ul", { class: "stack tight" }), rest = h("div", { class: "stack tight" });
  const titles = new Map(entries.map(({ name, title }) => [name, title]));
  const when = new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" });
  let sure = false;
  const show = () => {
    replace(list, games.map((one) => {
      const title = `${titles.get(one.game) ?? one.game}, ${when.format(one.date)}`;
      return h("li", { class: "beside" }, gameLink(document.createTextNode(title), one.link, one.by, one.totals), button("✕", () => drop([one]), { class: "quiet round", "aria-label": `Delete the game: ${title}` }));
    }));
    const all = button(sure ? `Delete ${games.length} games for ever` : "Delete all", () => (sure ? drop([...games]) : ask()), { class: "quiet" });
    replace(rest, games.length === 0 && h("p", { class: "soft small" }, `The games that you finish in Play are kept here, in this browser: the last ${MOST}.`), games.length > 1 && h("div", { class: "row" }, all));
  };
  const drop = (/** @type {Past[]} */ some) => {
    for (const one of some) {
      keep(one.name, null);
      games.splice(games.indexOf(one), 1);
    }
    sure = false;
    show();
    // The button that had the focus is gone.
    head.focus();
  };
  const ask = () => {
    sure = true;
    show();
  };
  show();
  for (const name of damaged) keep(name, null);
  const note = damaged.length > 0 && h("p", { class: "trouble small", role: "status" }, `Games that could not be read were removed: ${damaged.length}.`);
  return h("section", { class: "card stack tight archive", "aria-label": "Your games" }, head, note, list, rest);
}
