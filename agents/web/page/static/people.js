/** People at a server's table: the own name, and the phrases that they can say. @module */
import { button, h, labelled } from "./dom.js";
import { keep, kept } from "./store.js";

/** Largest number of characters of a name, as on the server (`agents/web/server/people.py`). */
const LONGEST = 24;

/** The phrases by their ids on the wire. @type {Record<string, string>} */
export const PHRASES = {
  hello: "Hello!",
  luck: "Good luck!",
  moment: "One moment, please.",
  turn: "It is your turn.",
  nice: "Well played!",
  oops: "Oops!",
  thanks: "Thank you!",
  game: "Good game!",
};

/** The name that this browser sits down with; null if it was never asked for. @returns {string | null} */
export const ownName = () => kept("name");

/** A typed name without what the server refuses. @param {string} typed */
const cleaned = (typed) => [...typed.replace(/\p{Z}+/gu, " ").replace(/\p{C}/gu, "").trim()].slice(0, LONGEST).join("").trim();

/** The field of the own name, with its label; what is typed is kept. */
export function nameField() {
  const typed = h("input", { type: "text", name: "name", maxlength: LONGEST, autocomplete: "nickname", value: ownName() ?? "" });
  typed.addEventListener("input", () => keep("name", cleaned(typed.value)));
  return labelled("Your name, which all at the table see", typed);
}

/** The phrases, and the button that shows them. @param {(phrase: string) => void} chosen */
export function phraseList(chosen) {
  const show = (/** @type {boolean} */ shown) => {
    list.hidden = !shown;
    opener.setAttribute("aria-expanded", String(shown));
    if (!shown) opener.focus();
  };
  const said = (/** @type {string} */ phrase) => {
    show(false);
    chosen(phrase);
  };
  const closed = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && show(false);
  const opener = button("Say", () => show(Boolean(list.hidden)), { class: "quiet", "aria-expanded": "false" });
  const list = h("div", { class: "row tight phrases", hidden: true, on: { keydown: closed } }, Object.entries(PHRASES).map(([phrase, text]) => button(text, () => said(phrase), { class: "small", data: { phrase } })));
  return { opener, list };
}
