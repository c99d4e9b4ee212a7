/** The games of this page, loaded on demand. @module */
import { Heap, Kernel } from "./kernel.js";
import { language } from "./say.js";
import { Words, capital, explanationOf } from "./words.js";

/** @param {string} path @returns {Promise<Response>} */
export async function file(path) {
  const found = await fetch(new URL(path, import.meta.url));
  if (!found.ok) throw new Error(`${path} could not be loaded (${found.status})`);
  return found;
}

/** One game: its manifest, its module, and kernels for its numbers of players. */
export class Game {
  /** @param {import("./data.d.ts").Entry} entry of the catalogue @param {import("./data.d.ts").Manifest} manifest @param {WebAssembly.Module} module */
  constructor(entry, manifest, module) {
    this.entry = entry;
    this.manifest = manifest;
    this.exports = /** @type {any} */ (new WebAssembly.Instance(module, {}).exports);
    this.heap = new Heap(this.exports);
    /** @type {Map<number, Kernel>} */
    this._kernels = new Map();
    /** The texts of `words.py` in the language that was loaded. @type {import("./data.d.ts").WordData | null} */
    this.told = null;
    /** @type {Map<number, Words>} */
    this._words = new Map();
  }

  /** Load the words of the chosen language, where the game has some. @returns {Promise<this>} */
  async speak() {
    const named = this.entry.words[language()];
    if (named && this.told?.language !== language()) {
      const { drawing } = this.manifest.common;
      /** @type {import("./data.d.ts").WordData} */
      const told = await (await file(named)).json();
      this.told = told;
      this._words.clear();
      if (drawing) drawing.lettering = told.lettering ?? drawing.texts;
    }
    return this;
  }

  /** Sentences about games of a number of players; null for a game without. @param {number} players @returns {Words | null} */
  words(players) {
    let words = this._words.get(players) ?? null;
    if (!words && this.told) {
      words = new Words(this.kernel(players), this.told);
      this._words.set(players, words);
    }
    return words;
  }

  /** The name of the phase of a state, "" where the game's record does not say. @param {Kernel} kernel @param {Uint8Array} state */
  phase(kernel, state) {
    const phase = kernel.phase(state);
    return this.told ? (this.told.phases[phase] ?? "") : readable(this.manifest.phases[phase] ?? "");
  }

  /** @returns {string} */
  get title() {
    return this.entry.title;
  }

  /** What the game is about, for newcomers; "" if it does not say. @returns {string} */
  get about() {
    return this.told?.about ?? this.manifest.about ?? "";
  }

  /** The blocks of its page of rules in the chosen language; null without one. @returns {Promise<any[] | null>} */
  async rules() {
    const named = this.entry.rules[language()];
    return named ? (await file(named)).json() : null;
  }

  /** Its guided first round (`lesson.py`); null without one. @returns {Promise<import("./data.d.ts").LessonData | null>} */
  async lesson() {
    return this.entry.lesson ? (await file(this.entry.lesson)).json() : null;
  }

  /** @returns {number[]} */
  get seats() {
    return Object.keys(this.manifest.players).map(Number);
  }

  /** The kernel for a number of players. @param {number} players @returns {Kernel} */
  kernel(players) {
    let kernel = this._kernels.get(players);
    if (!kernel) {
      kernel = new Kernel(this.exports, this.heap, this.manifest, players);
      this._kernels.set(players, kernel);
    }
    return kernel;
  }

  /** The names of the sources of points. @returns {string[]} */
  sources() {
    return this.told?.sources ?? this.manifest.point_sources;
  }

  /** An action as people read it. @param {number} action @returns {string} */
  text(action) {
    const words = this.words(this.seats[0]);
    return words ? capital(words.action(action)) : this.notation(action);
  }

  /** The name and the explanation of the kind of an action; null for a game without. @param {number} action @returns {{title: string, text: string} | null} */
  kind(action) {
    const name = explanationOf(this.manifest.common, action), { told } = this, text = told?.explanations[name];
    return told && text ? { title: told.names[name], text } : null;
  }

  /** An action as programs write it. @param {number} action @returns {string} */
  notation(action) {
    return readable(this.manifest.common.actions[action]);
  }

  /** @param {number} players */
  hasNetwork(players) {
    return String(players) in this.entry.networks;
  }

  /** The sampling temperature of the network at a level from 1 on; 0 without one, and at the highest. @param {number | undefined} level @returns {number} */
  heat(level) {
    return this.entry.levels?.[(level ?? Infinity) - 1] ?? 0;
  }

  /** Whether the network predicts results; networks that predict points only play. @param {number} players */
  hasEvaluator(players) {
    return this.entry.networks[players]?.reward === "outcome";
  }

  /** Whether a search can be asked: one that a network guides, or one with rollouts. @param {number} players */
  canSearch(players) {
    return this.hasEvaluator(players) ? "guided_round" in this.exports : "tree_search" in this.exports;
  }

  /** Ratings of agents by name, of the published ladder. @param {number} players @returns {Map<string, number>} */
  ratings(players) {
    return new Map(Object.entries(this.entry.ratings[players] ?? {}));
  }
}

/** The project's names with spaces, as people read them. @param {string} text */
export const readable = (text) => text.replaceAll("_", " ");

/** @type {Map<string, Promise<Game>>} */
const opened = new Map();

/** The entries of all games. @returns {Promise<import("./data.d.ts").Entry[]>} */
export async function catalogue() {
  return (await file("games.json")).json();
}

/** A game by its entry; loaded once. @param {import("./data.d.ts").Entry} entry @returns {Promise<Game>} */
export function open(entry) {
  let game = opened.get(entry.name);
  if (!game) {
    game = load(entry);
    opened.set(entry.name, game);
    game.catch(() => opened.delete(entry.name));
  }
  return game;
}

/** @param {import("./data.d.ts").Entry} entry */
async function load(entry) {
  const [manifest, module] = await Promise.all([
    file(entry.manifest).then((one) => one.json()),
    file(entry.module).then((one) => one.arrayBuffer()).then((bytes) => WebAssembly.compile(bytes)),
  ]);
  return new Game(entry, manifest, module);
}
