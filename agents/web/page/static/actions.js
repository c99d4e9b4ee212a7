/** The list of legal actions: buttons by kind of action, digits and arrows for those who play by keyboard. @module */
import { Bubble, PATIENCE, PRESS, sentence } from "./bubble.js";
import { focusQuietly, focusedOf, h, isUnfocused, replace, whenFocused } from "./dom.js";
import { fieldOf } from "./kernel.js";

/** Actions that digits choose. */
const DIGITS = 9;

/** An action with its effects below. @param {import("./games.js").Game} game @param {number} action @param {string} effects */
export const spoken = (game, action, effects) =>
  h("span", { class: "spoken" }, h("span", {}, game.text(action)), effects && h("span", { class: "soft small effects" }, effects));

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
    /** Called with the action that is pointed at, null for none. @type {(action: number | null) => void} */
    this.pointed = () => {};
    this.bubble = new Bubble("actiontip");
    /** True after a long press: the click that follows it is ignored. */
    this.long = false;
    this.list = h("div", { class: "actions", on: { keydown: (/** @type {KeyboardEvent} */ event) => this.keyed(event) } });
    this.title = h("h2", {}, "Legal actions");
    this.element = h("section", { class: "card stack tight choices", "aria-label": "Legal actions" }, this.title, this.list);
  }

  /**
   * @param {number[]} actions
   * @param {{shares?: Map<number, number>, focus?: boolean, effects?: (action: number) => string}} [how] probabilities to show; whether the first
   *   gets the focus; what actions do
   */
  show(actions, { shares, focus = false, effects = () => "" } = {}) {
    const active = focusedOf(this.list), had = focus || this.list.contains(active);
    this.awaited = had || (this.awaited && isUnfocused(active));
    /** @type {Map<string, number[]>} */
    const kinds = new Map();
    for (const action of actions) {
      const kind = fieldOf(this.game.manifest.common, action);
      kinds.set(kind, [...(kinds.get(kind) ?? []), action]);
    }
    this.actions = [...kinds.values()].flat();
    const groups = [...kinds.values()].map((some) => h("div", { class: "options" }, some.map((action) => this.option(action, effects(action), shares))));
    this.bubble.hide();
    replace(this.list, groups);
    replace(this.title, actions.length ? `Legal actions (${actions.length})` : "Legal actions");
    this.element.hidden = actions.length === 0;
    if (!this.awaited || !actions.length) return;
    focusQuietly(this.list.querySelector("button"), { preventScroll: true });
    this.awaited = false;
  }

  /** @param {number} action @param {string} effects @param {Map<number, number> | undefined} shares */
  option(action, effects, shares) {
    const number = this.actions.indexOf(action) + 1, share = shares?.get(action);
    const label = [
      number <= DIGITS && h("kbd", { "aria-hidden": "true" }, number),
      spoken(this.game, action, effects),
      share !== undefined && h("span", { class: "soft numbers small" }, `${Math.round(100 * share)} %`),
    ];
    const at = () => {
      this.pointed(action);
      this.bubble.wait(() => this.explain(made, action), PATIENCE);
    };
    const off = () => {
      this.pointed(null);
      this.bubble.hide();
    };
    const pressed = (/** @type {PointerEvent} */ { pointerType }) => {
      this.long = false;
      if (pointerType === "touch") this.bubble.wait(() => (this.long = this.explain(made, action)), PRESS);
    };
    const click = () => {
      this.bubble.hide();
      if (!this.long) this.chosen(action);
      this.long = false;
    };
    const on = { click, mouseenter: at, mouseleave: off, focus: whenFocused(at), blur: off, pointerdown: pressed };
    const made = h("button", { type: "button", class: "option", title: this.game.notation(action), data: { action }, on }, label);
    return made;
  }

  /** Explain the kind of an action beside its button; whether there is an explanation. @param {Element} option @param {number} action */
  explain(option, action) {
    const found = this.game.kind(action);
    if (found) this.bubble.show([sentence(found.title, found.text)], option.getBoundingClientRect(), option, true);
    return found !== null;
  }

  /** Mark some actions, the ones that a place of the board offers. @param {number[]} actions */
  mark(actions) {
    for (const one of /** @type {NodeListOf<HTMLElement>} */ (this.list.querySelectorAll(".option"))) one.classList.toggle("pointed", actions.includes(Number(one.dataset.action)));
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
