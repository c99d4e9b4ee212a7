/** The language of the page; elements translate their texts when they are made (`dom.js`). @module */
import { GERMAN } from "./german.js";
import { keep, kept } from "./store.js";

export const LANGUAGES = { en: "English", de: "Deutsch" };

let chosen = Object.hasOwn(LANGUAGES, kept("language") ?? "") ? kept("language") : "en";

/** The chosen language. @returns {string} */
export const language = () => chosen;

/** Choose a language. @param {string} code */
export function choose(code) {
  chosen = code;
  keep("language", code);
}

const PART = /(\{#?\})/;
/** Texts with changing parts: what they look like, and their parts in German. */
const PATTERNS = Object.entries(GERMAN).filter(([text]) => PART.test(text)).map(([text, german]) => {
  const source = text.split(PART).map((part) => ({ "{}": "(.+?)", "{#}": "(\\d+)" })[part] ?? part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return { pattern: new RegExp(`^${source.join("")}$`), german: german.split(/\{#?\}/) };
});

/** A text that a person has written: it is never translated, and its direction ends with it (Unicode, UAX 9). @param {string} text */
export const written = (text) => `\u2068${text}\u2069`;

/** A number as the chosen language writes it. @param {number} value @param {number} [most] decimals @param {number} [least] decimals */
export const decimal = (value, most = 1, least = most) => value.toLocaleString(chosen, { minimumFractionDigits: least, maximumFractionDigits: most, useGrouping: false });

/** The phrase of another player's action: it names that player's things without "your". @param {string} text */
export const impersonal = (text) => (chosen === "de" ? text.replace(/\bdein(e[mnrs]?)?\b/g, (_, end = "as") => `d${end === "e" ? "ie" : end}`) : text.replace(/\byour\b/g, "the"));

/** A text of the page in the chosen language; any other text as it is. @param {string} text @returns {string} */
export function say(text) {
  if (chosen === "en") return text;
  // Numbers are parts of texts, too.
  if (!/[a-z]/i.test(text)) return text.replace(/^(\d+)\.(\d+)$/, "$1,$2");
  if (Object.hasOwn(GERMAN, text)) return GERMAN[text];
  for (const { pattern, german } of PATTERNS) {
    const found = pattern.exec(text);
    if (found) return german.map((part, i) => part + (i + 1 < german.length ? say(found[i + 1]) : "")).join("");
  }
  return text;
}
