/** All games of the page as cards: a picture, and what it takes to play them. @module */
import { h } from "./dom.js";
import { decimal } from "./say.js";

/** Seconds of a choice, for the length of a game. */
const SECONDS = 10;

/** The least and the most of some numbers. @param {number[]} numbers */
function range(numbers) {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return least === most ? String(least) : `${least}–${most}`;
}

/** A card's facts. @param {import("./data.d.ts").Card} card */
function facts({ seats, choices, bytes }) {
  const minutes = Object.values(choices).map((count) => Math.round((count * SECONDS) / 60));
  return [`${range(seats)} players`, `${range(minutes)} minutes`, `${decimal(bytes / 1e6)} MB`];
}

/** @param {import("./data.d.ts").Entry[]} entries @param {string} chosen */
export function shelf(entries, chosen) {
  const items = entries.map(({ name, title, card }) => {
    const pictures = card && ["light", "dark"].map((theme) => h("img", { class: theme, src: `${card.picture}#${theme}`, alt: "", loading: "lazy", width: 400, height: 200 }));
    const told = card && h("span", { class: "soft small" }, facts(card).flatMap((text, i) => (i ? [" · ", text] : [text])));
    return h("li", {}, h("a", { class: "card", href: `#play?game=${name}`, "aria-current": name === chosen ? "true" : null }, pictures, h("strong", {}, title), told));
  });
  return h(
    "div",
    { class: "stack tight" },
    h("ul", { class: "shelf" }, items),
    h("p", { class: "soft small" }, `The minutes are those of your own choices, ${SECONDS} seconds each. A game is loaded once.`),
  );
}
