/** A game's end: totals, places, and where to go from here. @module */
import { button, h, replace } from "./dom.js";
import { writePlaythrough } from "./playthrough.js";
import { namesOf, seatName } from "./seats.js";
import { sheetOf } from "./sheet.js";
import { linkOf } from "./share.js";

/** Puts a game's file into the person's downloads. @param {import("./line.js").Line} line */
export function save(line) {
  const address = URL.createObjectURL(new Blob([writePlaythrough(line)], { type: "text/plain" }));
  const { manifest, players } = line.kernel;
  const link = h("a", { href: address, download: `${manifest.game}_${players}_players_seed_${line.seed}.txt` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** The fallback of a browser that cannot copy. @param {string} address @returns {string} the label of the button */
function intoAddressBar(address) {
  location.hash = new URL(address).hash;
  return "It is in the address bar";
}

/** A button that copies a link and confirms it. @param {() => string} link @param {(address: string) => string} [otherwise] the fallback of a browser that cannot copy */
export function copyButton(link, otherwise = intoAddressBar) {
  const made = button("Copy link", async () => {
    const address = new URL(link(), location.href).href;
    try {
      await navigator.clipboard.writeText(address);
      replace(made, "Copied");
    } catch {
      replace(made, otherwise(address));
    }
    setTimeout(() => replace(made, "Copy link"), 2000);
  });
  return made;
}

/** Totals and places of all seats. @param {import("./line.js").Line} line @param {import("./seats.js").Seat[]} seats */
export function standings(line, seats) {
  const { kernel, last } = line, totals = kernel.totals(last), places = kernel.places(last).map((place, seat) => seats[seat]?.place ?? place);
  const order = totals.map((_, seat) => seat).sort((a, b) => places[a] - places[b]);
  const rows = order.map((seat) => h("tr", { data: { seat } }, h("td", {}, places[seat]), h("td", {}, seatName(seat, seats[seat])), h("td", { class: "number" }, totals[seat])));
  return h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Place"), h("th", {}, "Seat"), h("th", { class: "number" }, "Total"))), h("tbody", {}, rows));
}

/** @param {import("./games.js").Game} game @param {import("./line.js").Line} line @param {import("./seats.js").Seat[]} seats @param {() => void} again */
export function outcome(game, line, seats, again) {
  return h(
    "section",
    { class: "card stack tight outcome", "aria-label": "Result" },
    h("h2", {}, "Result"),
    standings(line, seats),
    sheetOf(game, line.kernel, line.last),
    h("div", { class: "row" }, h("a", { class: "button primary", href: linkOf(line, "replay", { by: namesOf(seats) }) }, "Replay"), h("a", { class: "button", href: linkOf(line, "study") }, "Study"), button("Another game", again), copyButton(() => linkOf(line, "replay")), button("Save", () => save(line))),
  );
}
