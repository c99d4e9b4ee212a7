/**
 * Sentences about a game: its actions with their effects, its events, reasons and explanations.
 *
 * They are those of `porta_nigra_env.core.narration`, from the same texts (`words.py`), facts and remedies; a test
 * compares both.  An event is a changed entry of a fact between two redacted states.
 * @module
 */
import { fieldOf, kindOf } from "./kernel.js";

/** The axis of seats, and the end of a text that shares a clause with others. */
const SEAT = "seat", WHAT = "{what}";

/**
 * @typedef {object} Event
 * @property {import("./data.d.ts").Fact} fact that changed
 * @property {number[]} index along its axes
 * @property {number} before
 * @property {number} after
 * @property {number | null} seat concerned
 */

/** A template with its placeholders filled in. @param {string} template @param {Record<string, any>} values */
const filled = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** @param {string} text */
export const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The name of the explanation of an action's kind. @param {import("./data.d.ts").Info} info with the action layout @param {number} action */
export const explanationOf = (info, action) => `action ${fieldOf(info, action)}`;

/** The combinations of `count` numbers below `limit`, in the order of Python's `itertools.combinations`. @param {number} limit @param {number} count @param {number} [from] @returns {Generator<number[]>} */
function* combinations(limit, count, from = 0) {
  if (count === 0) yield [];
  else for (let i = from; i < limit; i += 1) for (const rest of combinations(limit, count - 1, i + 1)) yield [i, ...rest];
}

export class Words {
  /** @param {import("./kernel.js").Kernel} kernel @param {import("./data.d.ts").WordData} data of `words.py` */
  constructor(kernel, data) {
    this.kernel = kernel;
    this.data = data;
    const { heap } = kernel;
    this.layout = heap.put(new Uint8Array(BigInt64Array.from(data.layout.flat(), BigInt).buffer));
    this.count = data.starts.at(-1) ?? 0;
    this.values = heap.take(8 * this.count);
    this.names = Array.from({ length: kernel.players }, (_, seat) => filled(data.seat, { seat }));
    /** The samples of the last decision. @type {{state: Uint8Array | null, seat: number, found: Uint8Array[]}} */
    this.sampled = { state: null, seat: -1, found: [] };
  }

  // -- actions

  /** The phrase of an action: an imperative without a full stop. @param {number} action @returns {string} */
  action(action) {
    return filled(this.data.actions[action], this.names);
  }

  /**
   * What the player to move knows beforehand of a legal action.
   * @param {Uint8Array} state @param {number} seat @param {number} action
   * @returns {{clauses: string[], drawn: boolean}} clauses addressed to the player, and whether something is drawn
   */
  effects(state, seat, action) {
    const { kernel } = this, now = this.read(kernel.seen(state, seat)), { results, drawn } = this.tried(state, seat, action);
    const [first, ...others] = results.map((after) => this.read(kernel.seen(after, seat)));
    const told = this.between(now, first, (i) => others.every((one) => one[i] === first[i])).filter(({ fact }) => {
      const chance = fact.drawn === true ? drawn.size > 0 : fact.drawn !== false && fact.drawn.some((name) => drawn.has(name));
      return !fact.aside && !chance;
    });
    return { clauses: this.clauses(told, seat), drawn: drawn.size > 0 };
  }

  /** A sentence about a legal action and its effects. @param {Uint8Array} state @param {number} seat @param {number} action */
  describe(state, seat, action) {
    const { clauses, drawn } = this.effects(state, seat, action), phrase = capital(this.action(action));
    return [clauses.length ? `${phrase}: ${clauses.join("; ")}.` : `${phrase}.`, drawn && this.data.drawn].filter(Boolean).join(" ");
  }

  /** The effects of an action as a text, "" for none. @param {Uint8Array} state @param {number} seat @param {number} action @returns {string} */
  outlook(state, seat, action) {
    const { clauses, drawn } = this.effects(state, seat, action);
    return [clauses.length > 0 && `${clauses.join("; ")}.`, drawn && this.data.drawn].filter(Boolean).join(" ");
  }

  /**
   * What an action leads to from sampled states, and the fields of chance that it changes: more states where it draws.
   * @param {Uint8Array} state @param {number} seat @param {number} action
   * @returns {{results: Uint8Array[], drawn: Set<string>}}
   */
  tried(state, seat, action) {
    const { kernel, data } = this, results = [], drawn = new Set();
    for (let seed = 0; seed < (drawn.size ? data.drawn_samples : data.samples); seed += 1) {
      const before = this.sample(state, seat, seed), after = kernel.after(before, action);
      for (const [name, [at, size]] of Object.entries(data.chance)) {
        if (before.slice(at, at + size).join() !== after.slice(at, at + size).join()) drawn.add(name);
      }
      results.push(after);
    }
    return { results, drawn };
  }

  /** A state that a seat cannot tell from the true one. @param {Uint8Array} state @param {number} seat @param {number} seed @returns {Uint8Array} */
  sample(state, seat, seed) {
    const { kernel, sampled } = this;
    if (sampled.state !== state || sampled.seat !== seat) this.sampled = { state, seat, found: [] };
    return (this.sampled.found[seed] ??= kernel.determinize(kernel.seen(state, seat), seat, BigInt(seed)));
  }

  /** Some such states. @param {Uint8Array} state @param {number} seat @returns {Uint8Array[]} */
  samples(state, seat) {
    return Array.from({ length: this.data.samples }, (_, seed) => this.sample(state, seat, seed));
  }

  // -- events

  /** The values of all facts of a redacted state. @param {Uint8Array} state @returns {BigInt64Array} */
  read(state) {
    const { kernel, data } = this;
    kernel.load(state);
    kernel.exports.read_facts(this.layout, data.facts.length, kernel.state, kernel.size, this.values, this.count);
    return kernel.heap.view(BigInt64Array, this.values, this.count).slice();
  }

  /** The events between two states, redacted for the same seat. @param {Uint8Array} before @param {Uint8Array} after @returns {Event[]} */
  changes(before, after) {
    return this.between(this.read(before), this.read(after));
  }

  /** The events between values of `read`, those of chosen entries. @param {BigInt64Array} old @param {BigInt64Array} now @param {(entry: number) => boolean} [chosen] @returns {Event[]} */
  between(old, now, chosen = () => true) {
    /** @type {Event[]} */
    const events = [];
    old.forEach((value, i) => value !== now[i] && chosen(i) && events.push(this.event(i, Number(value), Number(now[i]))));
    return events;
  }

  /** @param {number} entry of `read` @param {number} before @param {number} after @returns {Event} */
  event(entry, before, after) {
    const { facts, starts, shapes } = this.data;
    const number = starts.findLastIndex((start, i) => i < facts.length && start <= entry);
    const fact = facts[number], index = [];
    let rest = entry - starts[number];
    for (const size of shapes[number].toReversed()) {
      index.unshift(rest % size);
      rest = Math.floor(rest / size);
    }
    const axis = fact.axes.indexOf(SEAT);
    const seat = axis >= 0 ? index[axis] : fact.values === SEAT && after !== -1 ? after : null;
    return { fact, index, before, after, seat };
  }

  /** An event as a clause. @param {Event} event @param {number} observer the seat addressed as "you", -1 for none @returns {string} */
  clause(event, observer) {
    return this.parts(event, observer).join("");
  }

  /** The clause of an event without the amount or value at its end, and the amount or value, or "". @param {Event} event @param {number} observer @returns {[string, string]} */
  parts({ fact, index, before, after, seat }, observer) {
    const values = Object.fromEntries(fact.axes.map((axis, i) => [axis, this.name(axis, index[i])]));
    let verb = after > before || !fact.down ? fact.up : fact.down;
    if (fact.values !== null) {
      verb = after === -1 && fact.none ? fact.none : fact.up;
      values.what = this.name(fact.values, after === -1 ? before : after);
    } else values.what = this.amount(fact, index, Math.abs(after - before));
    if (seat !== null) values.seat = this.names[seat];
    const template = verb[seat !== null && seat === observer ? 0 : 1], ends = template.endsWith(WHAT);
    const lead = ends ? template.slice(0, -WHAT.length) : template;
    return [filled(lead, { ...values, before, after }), ends ? values.what : ""];
  }

  /** The effects of an action as clauses, with the new amounts; effects that differ in amounts only share one. @param {Event[]} events @param {number} observer @returns {string[]} */
  clauses(events, observer) {
    /** @type {Map<string, string[]>} */
    const shared = new Map();
    for (const event of events) {
      const [lead, what] = this.parts(event, observer);
      const told = event.fact.left ? filled(this.data.left, { text: what, after: event.after }) : what;
      shared.set(lead, [...(shared.get(lead) ?? []), told]);
    }
    return [...shared].map(([lead, whats]) => lead + (whats.length > 1 ? filled(this.data.and, { several: whats.slice(0, -1).join(", "), last: whats.at(-1) }) : whats[0]));
  }

  /** @param {import("./data.d.ts").Fact} fact @param {number[]} index @param {number} number */
  amount(fact, index, number) {
    if (fact.noun) return filled(fact.noun[number === 1 ? 0 : 1], { n: number });
    const axis = fact.axes.at(-1);
    return axis === undefined || axis === SEAT ? String(number) : this.name(axis, index[index.length - 1], number);
  }

  /** @param {string} axis @param {number} i @param {number} [number] @returns {string} */
  name(axis, i, number = 1) {
    if (axis === SEAT) return this.names[i] ?? filled(this.data.seat, { seat: i });
    const text = this.data.axes[axis][i];
    if (typeof text !== "string") return filled(text[number === 1 ? 0 : 1], { n: number });
    return number === 1 ? text : `${number} x ${text}`;
  }

  // -- reasons

  /** Why an action is not legal for the player to move. @param {Uint8Array} state @param {number} action @returns {string} */
  whyNot(state, action) {
    const { kernel, data } = this, seat = kernel.mover(state);
    if (seat < 0) return data.game_over;
    const { phases } = data, names = kernel.manifest.phases;
    const kind = kindOf(kernel.info, action), { name: field, start, shape } = kernel.info.action_layout[kind];
    const { phases: asked, otherwise } = data.kinds[field], phase = kernel.phase(state);
    if (asked.length && !asked.includes(names[phase])) {
      const expected = asked.map((/** @type {string} */ name) => phases[names.indexOf(name)]).join(", ");
      return filled(data.wrong_phase, { expected, now: phases[phase] });
    }
    // As `core.narration.facts.Change` takes the action.
    const offset = action - start, width = shape[1] ?? 1;
    const choice = [seat, kind, Math.floor(offset / width), shape.length > 1 ? offset % width : 0];
    const seen = kernel.seen(state, seat);
    for (let count = 1; count <= data.most_remedies; count += 1) {
      for (const some of combinations(data.remedies.length, count)) {
        if (this.isLegalWith(seen, action, choice, some)) return some.map((i) => data.remedies[i]).join(" ");
      }
    }
    return otherwise || data.no_reason;
  }

  /** Why none of some actions is legal: the reason of most of them. @param {Uint8Array} state @param {number[]} actions */
  whyNone(state, actions) {
    /** @type {Map<string, number>} */
    const found = new Map();
    for (const action of actions) {
      const reason = this.whyNot(state, action);
      found.set(reason, (found.get(reason) ?? 0) + 1);
    }
    return [...found].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
  }

  /** The explanation of a place of the board, "" without one. @param {string} name */
  explain(name) {
    return this.data.explanations[this.data.places[name]] ?? "";
  }

  /** The title of a place of the board; in another language than that of the board the name of its component. @param {{name: string, title: string}} place */
  title({ name, title }) {
    const { language, names, places } = this.data;
    return language === "en" ? title : (names[places[name]] ?? "");
  }

  /** @param {Uint8Array} state @param {number} action @param {number[]} choice the last arguments of a remedy @param {number[]} remedies */
  isLegalWith(state, action, choice, remedies) {
    const { kernel } = this, { exports } = kernel;
    kernel.load(state);
    if (!remedies.every((i) => exports.remedy(i, kernel.tables, kernel.state, ...choice))) return false;
    exports.refresh(kernel.tables, kernel.state);
    return kernel.legal(kernel.taken()).includes(action);
  }
}
