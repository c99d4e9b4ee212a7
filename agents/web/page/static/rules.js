/** A sheet with the rules of a game, its components, and the keys of the page. @module */
import { button, h } from "./dom.js";
import { capital } from "./words.js";

/** Keys and their effects. */
const KEYS = [
  [["1 – 9"], "the first legal actions of the list"],
  [["Tab", "Enter"], "outlined elements of the board, and everything else"],
  [["↑", "↓"], "the next action in the list"],
  [["Backspace"], "take back, or one step back"],
  [["←", "→", "Home", "End"], "move through a replay"],
  [["b", "n"], "the turn before and the next one (Replay, Study)"],
  [["p"], "a replay plays by itself, or pauses"],
  [["h"], "a hint (Play, Study, Together)"],
  [["?"], "the rules"],
  [["Escape"], "close a menu, an explanation or the rules"],
];
/** The number of a ruling, alone or at the end of an explanation. */
const RULING = /^[A-Z]\d+$/, CITED = /^(.*) \(([A-Z]\d+)\)$/s;

/** A text of the page of rules, as it is. @param {(string | [string, string])[]} spans */
const said = (spans) => spans.map((span) => {
  if (typeof span === "string") return document.createTextNode(span);
  const [kind, text] = span, tag = /** @type {Record<string, "strong" | "em" | "code">} */ ({ bold: "strong", slanted: "em", code: "code" })[kind];
  return h(tag, { data: RULING.test(text) ? { ruling: text } : {} }, document.createTextNode(text));
});

/** @param {any[]} items @returns {HTMLElement[]} */
const listed = (items) => items.map(({ text, items: deeper }) => h("li", {}, said(text), deeper && h("ul", {}, listed(deeper))));

/** @param {any} block */
function shown({ kind, text, items, rows }) {
  if (kind === "table") {
    const [head, ...body] = rows;
    return h("div", { class: "wide", tabindex: "0" }, h("table", {}, h("thead", {}, h("tr", {}, head.map((/** @type {any} */ cell) => h("th", { scope: "col" }, said(cell))))), h("tbody", {}, body.map((/** @type {any[]} */ row) => h("tr", {}, row.map((cell) => h("td", {}, said(cell))))))));
  }
  return items ? h(kind, {}, listed(items)) : h(kind === "h3" ? "h4" : kind, {}, said(text));
}

export class Rules {
  /** @param {import("./games.js").Game} game */
  constructor(game) {
    this.game = game;
    this.body = h("div", { class: "stack tight rulesbody" });
    const title = h("h2", { id: "rules-title" }, `Rules of ${game.title}`);
    this.element = h("dialog", { class: "rules", "aria-labelledby": "rules-title", on: { close: () => this.element.remove(), click: (/** @type {Event} */ event) => event.target === this.element && this.element.close() } }, h("div", { class: "rulestop" }, title, button("✕", () => this.element.close(), { class: "quiet round", "aria-label": "Close", title: "Close" })), this.body);
  }

  async open() {
    const { game } = this, rules = await game.rules();
    if (document.querySelector("dialog[open]")) return;
    const parts = [game.about && h("p", {}, document.createTextNode(game.about)), this.keys(), ...(game.told ? [this.explained(game.told, "Components", false), this.explained(game.told, "Actions", true)] : [])];
    if (rules) parts.push(h("h3", {}, "The rules in full"), ...sections(rules));
    this.body.append(...parts.filter(Boolean));
    document.body.append(this.element);
    this.element.showModal();
  }

  keys() {
    const rows = KEYS.map(([keys, text]) => h("tr", {}, h("th", { scope: "row" }, /** @type {string[]} */ (keys).map((key) => [h("kbd", {}, key), " "])), h("td", {}, text)));
    return part("Keys", h("table", { class: "keys" }, h("tbody", {}, rows)));
  }

  /** All components, or all kinds of actions, with their explanations; equal ones share an entry. @param {import("./data.d.ts").WordData} told @param {string} title @param {boolean} actions */
  explained({ names, explanations }, title, actions) {
    /** @type {Map<string, string[]>} */
    const alike = new Map();
    for (const [name, text] of Object.entries(explanations)) if (name.startsWith("action ") === actions) alike.set(text, [...(alike.get(text) ?? []), capital(names[name])]);
    const items = [...alike].map(([text, titles]) => {
      const [, sentences, ruling] = CITED.exec(text) ?? [null, text, ""];
      const cited = ruling && button(ruling, () => this.cite(ruling), { class: "quiet cited", title: "To the ruling" });
      return h("li", {}, h("strong", {}, titles.join(", ")), ": ", document.createTextNode(sentences), " ", cited);
    });
    return part(title, h("ul", { class: "stack tight" }, items));
  }

  /** Show a ruling. @param {string} ruling */
  cite(ruling) {
    /** @type {HTMLElement | null} */
    const found = this.body.querySelector(`[data-ruling="${ruling}"]`), folded = found?.closest("details");
    if (!found || !folded) return;
    folded.open = true;
    found.tabIndex = -1;
    found.focus();
    found.scrollIntoView({ block: "center" });
  }
}

/** A part that can be unfolded. @param {any} title @param {...any} children */
const part = (title, ...children) => h("details", { class: "card" }, h("summary", {}, title), h("div", { class: "stack tight" }, children));

/** The chapters of the page of rules. @param {any[]} blocks */
function sections(blocks) {
  /** @type {{title: any, blocks: any[]}[]} */
  const found = [{ title: "Introduction", blocks: [] }];
  for (const block of blocks) {
    if (block.kind === "h2") found.push({ title: said(block.text), blocks: [] });
    else found.at(-1)?.blocks.push(shown(block));
  }
  return found.filter(({ blocks: some }) => some.length).map(({ title, blocks: some }) => part(title, ...some));
}
