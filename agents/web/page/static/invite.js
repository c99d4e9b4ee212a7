/** The links of a table, for the people at other machines: as texts, and as QR codes. @module */
import { h, replace, s } from "./dom.js";
import { invitationLink, knownTable, seatLink } from "./known.js";
import { Refused } from "./line.js";
import { seatmark } from "./mark.js";
import { copyButton } from "./outcome.js";
import { request } from "./server.js";

/** Modules of light around a QR code (ISO/IEC 18004). */
const QUIET = 4;

/** Whether only this machine reaches the page's address. */
const isLocal = () => /^(localhost|127\..*|\[::1\])$/.test(location.hostname);

/** A QR code. @param {string[]} rows of "0" and "1" @param {string} name */
function drawn(rows, name) {
  const size = rows.length + 2 * QUIET;
  const path = rows.flatMap((row, y) => [...row.matchAll(/1+/g)].map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`)).join("");
  return s("svg", { class: "code", role: "img", "aria-label": name, viewBox: `${-QUIET} ${-QUIET} ${size} ${size}` }, s("rect", { x: -QUIET, y: -QUIET, width: size, height: size }), s("path", { d: path }));
}

/** The links of a table that this browser knows. @param {import("./app.js").Context} context @param {string} table */
export async function linkList(context, table) {
  const known = knownTable(table);
  if (!known) throw new Refused("this browser does not know the links of that table");
  const title = context.entries.find(({ name }) => name === known.game)?.title ?? known.game;
  // A server that cannot be reached now may be reached by others later.
  const { origin, codes } = await request("network").catch(() => ({ origin: null, codes: false })), local = isLocal();
  const base = local && origin ? new URL(location.pathname, origin).href : location.href;
  const rows = known.seats.map((seat, number) => linkOfSeat(known, seat, number, base, codes));
  return h(
    "div",
    { class: "narrow stack" },
    h("h1", {}, "The table is open"),
    h("section", { class: "card stack", "aria-label": "Seats" }, h("p", {}, `${title}, ${known.seats.length} players. An invitation opens its seat once: give each one to one person. The first to follow it has the seat.`), local && !origin && h("p", { class: "soft small" }, `The links lead to ${location.host}, which is this machine; other machines need the name of this one in it, and a server that accepts them.`), h("ol", { class: "stack" }, rows, known.onlooker && linkOfOnlookers(known.onlooker, base, codes))),
  );
}

/** The name and the link of one seat. @param {import("./known.js").Known} known @param {string} seat @param {number} number @param {string} base the page's address for others @param {boolean} codes */
function linkOfSeat({ tokens, invitations = {}, mine }, seat, number, base, codes) {
  const name = h("span", { class: "row tight" }, seatmark(number, { "aria-hidden": "true" }), `Player ${number}: ${number === mine ? "you" : seat === "human" ? "another person" : seat}`);
  const row = (/** @type {any[]} */ ...more) => h("li", { class: "field", data: { seat: number } }, name, more);
  if (number === mine) return row(h("div", {}, h("a", { class: "button primary", href: seatLink(tokens[number]) }, "Sit down")));
  if (!(number in invitations || number in tokens)) return row();
  const fragment = number in invitations ? invitationLink(invitations[number]) : seatLink(tokens[number]);
  return row(linkShown(new URL(fragment, base).href, `Link for player ${number}`, codes && `QR code for player ${number}`));
}

/** @param {string} token @param {string} base @param {boolean} codes */
function linkOfOnlookers(token, base, codes) {
  return h("li", { class: "field", data: { onlooker: true } }, h("span", {}, "Onlookers, any number of people: they see what all players know, some steps late"), linkShown(new URL(seatLink(token), base).href, "Link for onlookers", codes && "QR code for onlookers"));
}

/** A link that can be copied, with its code below. @param {string} link @param {string} name @param {string | false} code its name, false without one */
function linkShown(link, name, code) {
  const shown = h("input", { type: "text", readonly: true, value: link, "aria-label": name, on: { focus: () => shown.select() } });
  const byHand = () => {
    shown.focus();
    return "Copy the selected text";
  };
  const place = h("div", {});
  if (code) request("code", { link }).then(({ rows }) => replace(place, drawn(rows, code))).catch((error) => replace(place, h("p", { class: "soft small" }, error.message)));
  return [h("div", { class: "beside" }, shown, copyButton(() => link, byHand)), place];
}
