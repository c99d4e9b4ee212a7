/** The list of legal actions: buttons by kind of action, digits and arrows for those who play by keyboard. @module */
import { button, focusedOf, h, isUnfocused, replace } from "./dom.js";
import { readable } from "./games.js";
import { fieldOf } from "./kernel.js";

/** Actions that digits choose. */
const DIGITS = 9;

export class ActionList {
  /**
   * @param {import("./games.js").Game} game
   * @param {(action: number) => void} chosen
   */
  constructor(game, chosen) {
    this.game = game;
    this.chosen = chosen;
    /** @type {number[]} as they are shown */
    this.actions = [];
    /** Whether who plays by keyboard was here when there was nothing left to choose. */
    this.awaited = false;
    this.list = h("div", { class: "actions", on: { keydown: (/** @type {KeyboardEvent} */ event) => this.keyed(event) } });
    this.title = h("h2", {}, "Legal actions");
    this.element = h("section", { class: "card stack tight choices", "aria-label": "Legal actions" }, this.title, this.list);
  }

  /** The kind of an action: the name of its field. @param {number} action */
  kind(action) {
    return readable(fieldOf(this.game.manifest.common, action));
  }

  /**
   * @param {number[]} actions
   * @param {{shares?: Map<number, number>, focus?: boolean}} [how] probabilities to show; whether the first gets the focus
   */
  show(actions, { shares, focus = false } = {}) {
    const active = focusedOf(this.list), had = focus || this.list.contains(active);
    this.awaited = had || (this.awaited && isUnfocused(active));
    /** @type {Map<string, number[]>} */
    const kinds = new Map();
    for (const action of actions) kinds.set(this.kind(action), [...(kinds.get(this.kind(action)) ?? []), action]);
    this.actions = [...kinds.values()].flat();
    const groups = [...kinds].map(([kind, some]) =>
      h("div", { class: "kind", role: "group", "aria-label": kind }, kinds.size > 1 && h("h3", { class: "soft small" }, kind), h("div", { class: "options" }, some.map((action) => this.option(action, shares)))),
    );
    replace(this.list, groups);
    this.title.textContent = actions.length ? `Legal actions (${actions.length})` : "Legal actions";
    this.element.hidden = actions.length === 0;
    if (!this.awaited || !actions.length) return;
    this.list.querySelector("button")?.focus({ preventScroll: true });
    this.awaited = false;
  }

  /** @param {number} action @param {Map<number, number> | undefined} shares */
  option(action, shares) {
    const number = this.actions.indexOf(action) + 1, share = shares?.get(action);
    const label = [
      number <= DIGITS && h("kbd", { "aria-hidden": "true" }, number),
      h("span", {}, this.game.text(action)),
      share !== undefined && h("span", { class: "soft numbers small" }, `${Math.round(100 * share)} %`),
    ];
    return button(label, () => this.chosen(action), { class: "option", data: { action } });
  }

  /** Arrows walk through the list. @param {KeyboardEvent} event */
  keyed(event) {
    const steps = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 });
    if (!(event.key in steps)) return;
    const buttons = [...this.list.querySelectorAll("button")];
    const place = buttons.indexOf(/** @type {any} */ (focusedOf(this.list)));
    buttons.at((place + steps[event.key]) % buttons.length)?.focus();
    event.preventDefault();
  }

  /** A digit anywhere on the screen chooses; whether this key was one. @param {KeyboardEvent} event */
  digit(event) {
    const place = Number(event.key) - 1;
    if (event.repeat || !/^[1-9]$/.test(event.key) || event.ctrlKey || event.altKey || event.metaKey || place >= this.actions.length) return false;
    this.chosen(this.actions[place]);
    return true;
  }
}
