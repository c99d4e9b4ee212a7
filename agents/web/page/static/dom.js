/** Making elements, in the chosen language; nothing here or elsewhere reads markup from texts. @module */
import { decimal, say } from "./say.js";

const SVG = "http://www.w3.org/2000/svg";

/** Attributes that people read. */
const SAID = new Set(["title", "aria-label", "placeholder"]);

/** Children without those that are left out, texts in the chosen language. @param {any[]} children */
const nodes = (children) =>
  children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false).map((one) => (typeof one === "string" ? say(one) : one));

/**
 * Attributes and children of an element.  `on` holds listeners by event, `data` the data attributes; false and null
 * leave an attribute out; properties that only live as such (`value`, `checked` ...) are set as properties.
 * @template {Element} T
 * @param {T} element
 * @param {Record<string, any>} attributes
 * @param {any[]} children elements, texts, numbers, lists of them; null and false are left out
 * @returns {T}
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, heard] of Object.entries(value)) element.addEventListener(event, heard);
    else if (name === "data") Object.assign(/** @type {any} */ (element).dataset, value);
    else if (["value", "checked", "disabled", "hidden", "open"].includes(name)) /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, value === true ? "" : SAID.has(name) ? say(String(value)) : String(value));
  }
  // The lettering of the board is translated elsewhere.
  element.append(...(element.tagName === "text" ? children.flat(Infinity) : nodes(children)));
  return element;
}

/** An HTML element. @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {Record<string, any>} [attributes] @param {...any} children @returns {HTMLElementTagNameMap[Tag]} */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element. @template {keyof SVGElementTagNameMap} Tag @param {Tag} tag @param {Record<string, any>} [attributes] @param {...any} children @returns {SVGElementTagNameMap[Tag]} */
export function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** The focused element of the document or shadow root that holds an element. @param {Element} element @returns {Element | null} */
export const focusedOf = (element) => /** @type {any} */ (element.getRootNode()).activeElement ?? null;

/** Whether no element has the focus. @param {Element | null} active */
export const isUnfocused = (active) => active === null || active === document.body;

let moving = false;

/** Move the focus without pointing at anything. @param {any} element @param {FocusOptions} [how] */
export function focusQuietly(element, how) {
  moving = true;
  element?.focus(how);
  moving = false;
}

/** A listener for a focus that a person has moved. @param {() => void} pointed */
export const whenFocused = (pointed) => () => moving || pointed();

/** Puts other children into an element; those that it has already stay, and so does the focus. @param {Element} element @param {...any} children */
export function replace(element, ...children) {
  const wanted = nodes(children);
  if (wanted.length === element.childNodes.length && wanted.every((one, i) => one === element.childNodes[i])) return;
  element.replaceChildren(...wanted);
}

/** A button. @param {any} label @param {() => void} pressed @param {Record<string, any>} [attributes] @returns {HTMLButtonElement} */
export function button(label, pressed, attributes = {}) {
  return h("button", { type: "button", on: { click: pressed }, ...attributes }, label);
}

/** A drawn sign for a button, on a grid of 24 units. @param {string} path */
export function sign(path) {
  return s("svg", { class: "sign", viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" }, s("path", { d: path }));
}

let last = 0;

/** A label and the control it names. @param {string} text @param {HTMLElement} control @param {string} [kind] class */
export function labelled(text, control, kind = "field") {
  control.id ||= `control-${(last += 1)}`;
  return h("div", { class: kind }, h("label", { for: control.id }, text), control);
}

/**
 * A choice among some.
 * @param {[string, string][]} options values and labels
 * @param {string} chosen
 * @param {(value: string) => void} changed
 * @param {Record<string, any>} [attributes]
 * @returns {HTMLSelectElement}
 */
export function select(options, chosen, changed, attributes = {}) {
  const made = h("select", attributes, options.map(([value, text]) => h("option", { value }, text)));
  made.value = chosen;
  made.addEventListener("change", () => changed(made.value));
  return made;
}

/**
 * A choice among a few, side by side.
 * @param {string} legend
 * @param {string} name
 * @param {(string | number)[]} options
 * @param {string | number} chosen
 * @param {(option: any) => void} changed
 */
export function segments(legend, name, options, chosen, changed) {
  const made = options.map((option) =>
    h("label", {}, h("input", { type: "radio", name, value: option, checked: option === chosen, on: { change: () => changed(option) } }), h("span", {}, option)),
  );
  return h("fieldset", { class: "field" }, h("legend", {}, legend), h("div", { class: "segments" }, made));
}

/** Announce a text to screen readers. @param {string} text */
export function announce(text) {
  const place = document.getElementById("announcements");
  if (place) place.textContent = say(text);
}

/** A number with a sign and a fixed number of decimals. @param {number} value @param {number} [decimals] */
export function signed(value, decimals = 2) {
  const text = decimal(Math.abs(value), decimals);
  if (!/[1-9]/.test(text)) return text;
  return (value < 0 ? "−" : "+") + text;
}

/** A share as a percentage; an estimate of a network outside 0..1 is as good as lost or won. @param {number} share @param {number} [decimals] */
export function percent(share, decimals = 0) {
  const value = 100 * Math.min(1, Math.max(0, share));
  return value > 0 && value < 1 && !decimals ? "<1 %" : `${decimal(value, decimals)} %`;
}

/** Place an absolute element at a point of the window, but within the window. @param {HTMLElement} element @param {number} x @param {number} y */
export function put(element, x, y) {
  const frame = (element.offsetParent ?? document.body).getBoundingClientRect(), { offsetWidth: wide, offsetHeight: high } = element;
  element.style.left = `${Math.max(4, Math.min(x, innerWidth - wide - 8)) - frame.left}px`;
  element.style.top = `${Math.max(4, Math.min(y, innerHeight - high - 8)) - frame.top}px`;
}
