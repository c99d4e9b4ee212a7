/**
 * A game's kernel: the compiled kernel functions of a module over its memory.
 *
 * States are handed in and out as bytes (Uint8Array of the record); nothing of the caller's is changed.
 * @module
 */
import { COLUMNS } from "./drawing.js";
import { sha256 } from "./sha256.js";

const ALIGNMENT = 16;
const PAGE = 65536;
const HALF = 0xffffffffn;

/** Memory behind the module's own, allocated once. */
export class Heap {
  /** @param {any} exports of the module */
  constructor(exports) {
    this.memory = exports.memory;
    this.top = exports.__heap_base.value;
  }

  /** Allocate zeroed memory; return its address. @param {number} bytes */
  take(bytes) {
    const at = Math.ceil(this.top / ALIGNMENT) * ALIGNMENT;
    this.top = at + bytes;
    const missing = this.top - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    return at;
  }

  /** A typed view of the memory at an address. @template T @param {new (buffer: ArrayBuffer, at: number, length: number) => T} kind @param {number} at @param {number} length @returns {T} */
  view(kind, at, length) {
    return new kind(this.memory.buffer, at, length);
  }

  /** Puts bytes into fresh memory. @param {Uint8Array} bytes */
  put(bytes) {
    const at = this.take(bytes.length);
    this.view(Uint8Array, at, bytes.length).set(bytes);
    return at;
  }
}

/** @param {string} text base64 */
export const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** The low and high half of a seed. @param {bigint} seed @returns {[number, number]} */
export const halves = (seed) => [Number(BigInt.asIntN(32, seed & HALF)), Number(BigInt.asIntN(32, seed >> 32n))];

/** The number of the field of the action layout that an action belongs to; -1 for none. @param {import("./data.d.ts").Info} info of the manifest @param {number} action @returns {number} */
export const kindOf = (info, action) => info.action_layout.findLastIndex((/** @type {{start: number}} */ { start }) => action >= start);

/** The name of that field. @param {import("./data.d.ts").Info} info of the manifest @param {number} action @returns {string} */
export const fieldOf = (info, action) => info.action_layout[kindOf(info, action)]?.name ?? "";

export class Kernel {
  /**
   * @param {any} exports of the module
   * @param {Heap} heap
   * @param {import("./data.d.ts").Manifest} manifest
   * @param {number} players
   */
  constructor(exports, heap, manifest, players) {
    this.exports = exports;
    this.heap = heap;
    this.manifest = manifest;
    this.players = players;
    /** The entry of the manifest for this number of players. @type {import("./data.d.ts").Info} */
    this.info = { ...manifest.common, ...manifest.players[players] };
    /** @type {string[]} */
    this.texts = this.info.actions;
    const { sizes } = this.info, tables = bytesOf(this.info.tables);
    this.digest = sha256(tables);
    this.size = sizes.state;
    this.tables = heap.put(tables);
    this.state = heap.take(sizes.state);
    this.scratch = heap.take(sizes.state);
    this.words = heap.take(8 * sizes.words);
    this.ids = heap.take(4 * 64 * sizes.words);
    this.totalsAt = heap.take(4 * players);
    this.placesAt = heap.take(players);
    this.sheetAt = heap.take(4 * players * (manifest.sheet?.columns ?? 0));
    this.chance = heap.take(24);
    this.observation = heap.take(4 * sizes.observation);
    this.canvas = this.info.drawing ? heap.take(4 * COLUMNS * (this.info.drawing.max_rows + 1)) : 0;
    /** @type {Map<string, {number: number, at: number, count: number}>} */
    this.policies = new Map(manifest.policies.map((one, number) => {
      const parameters = new Uint8Array(Float64Array.from(one.parameters).buffer);
      return [one.name, { number, at: heap.put(parameters), count: one.parameters.length }];
    }));
  }

  /** @param {Uint8Array} state */
  load(state) {
    this.heap.view(Uint8Array, this.state, this.size).set(state);
  }

  /** @returns {Uint8Array} */
  taken() {
    return this.heap.view(Uint8Array, this.state, this.size).slice();
  }

  /** The first state of a game. @param {bigint} seed */
  start(seed) {
    this.exports.reset(this.tables, this.state, ...halves(seed), this.players);
    return this.taken();
  }

  /** The state after an action, which has to be legal. @param {Uint8Array} state @param {number} action */
  after(state, action) {
    this.load(state);
    this.exports.step(this.tables, this.state, action);
    return this.taken();
  }

  /** Who decides; -1 when the game is over. @param {Uint8Array} state @returns {number} */
  mover(state) {
    this.load(state);
    return this.exports.current_player(this.state);
  }

  /** Ids of the legal actions, ascending. @param {Uint8Array} state @returns {number[]} */
  legal(state) {
    this.load(state);
    const count = this.exports.legal_ids(this.tables, this.state, this.words, this.ids);
    return Array.from(this.heap.view(Int32Array, this.ids, count));
  }

  /** A seat's redacted state; the whole state for -1. @param {Uint8Array} state @param {number} seat */
  seen(state, seat) {
    if (seat < 0) return state;
    this.load(state);
    this.exports.redact(this.tables, this.state, seat);
    return this.taken();
  }

  /** A sampled state that a seat cannot tell from the true one. @param {Uint8Array} state @param {number} seat @param {bigint} seed */
  determinize(state, seat, seed) {
    this.load(state);
    this.exports.determinize(this.tables, this.state, seat, ...halves(seed));
    return this.taken();
  }

  /** An action as a seat may be told of it, -1 for everything: null where that is a secret of the seat that chose it. @param {number} action @param {number} to @param {number} by @returns {number | null} */
  told(action, to, by) {
    return to >= 0 && to !== by && this.manifest.secret_choices.includes(fieldOf(this.info, action)) ? null : action;
  }

  /** Totals as if the game ended now. @param {Uint8Array} state @returns {number[]} */
  totals(state) {
    this.load(state);
    this.exports.score(this.tables, this.state, this.totalsAt);
    return Array.from(this.heap.view(Int32Array, this.totalsAt, this.players));
  }

  /** Places as if the game ended now, 1 for the first. @param {Uint8Array} state @returns {number[]} */
  places(state) {
    this.load(state);
    this.exports.rank(this.tables, this.state, this.totalsAt, this.placesAt);
    return Array.from(this.heap.view(Int8Array, this.placesAt, this.players));
  }

  /** The public totals of all seats so far. @param {Uint8Array} state @returns {number[]} */
  points(state) {
    this.load(state);
    this.exports.points(this.tables, this.state, this.totalsAt);
    return Array.from(this.heap.view(Int32Array, this.totalsAt, this.players));
  }

  /** Points by seat and source, as if the game ended now; null for games without a score sheet. @param {Uint8Array} state @returns {number[][] | null} */
  sheet(state) {
    return this.columns(state)?.map((sources) => sources.map((columns) => columns.reduce((sum, value) => sum + value, 0))) ?? null;
  }

  /** The same by the columns of each source. @param {Uint8Array} state @returns {number[][][] | null} */
  columns(state) {
    const { sheet } = this.manifest;
    if (!sheet) return null;
    this.load(state);
    this.exports.score_sheet(this.tables, this.state, this.sheetAt, sheet.columns);
    return Array.from({ length: this.players }, (_, seat) => {
      const row = Array.from(this.heap.view(Int32Array, this.sheetAt + 4 * seat * sheet.columns, sheet.columns));
      return sheet.sources.map((/** @type {number} */ from, /** @type {number} */ i) => row.slice(from, sheet.sources[i + 1]));
    });
  }

  /** How many rounds have begun; 0 for games without. @param {Uint8Array} state @returns {number} */
  round(state) {
    this.load(state);
    return this.exports.rounds(this.tables, this.state);
  }

  /** The number of the phase; -1 for games without. @param {Uint8Array} state @returns {number} */
  phase(state) {
    const field = this.manifest.state.find((one) => one.name === "phase");
    return field ? new DataView(state.buffer, state.byteOffset).getInt8(field.offset) : -1;
  }

  /** A seat's observation for networks. @param {Uint8Array} state @param {number} seat @returns {Float32Array} */
  observed(state, seat) {
    this.load(state);
    const { observation } = this.info.sizes;
    this.exports.observe(this.tables, this.state, seat, this.observation, observation);
    return this.heap.view(Float32Array, this.observation, observation).slice();
  }

  /** The action of a compiled policy for the player to move, given the redacted state. @param {string} name @param {Uint8Array} state @param {bigint} seed @returns {number} */
  choose(name, state, seed) {
    const policy = this.policies.get(name);
    if (!policy) throw new Error(`there is no policy ${name}`);
    this.load(state);
    this.exports.seed_chance(this.chance, ...halves(seed));
    const { number, at, count } = policy;
    return this.exports.choose(number, this.tables, this.state, at, count, this.chance, this.words, this.scratch);
  }

  /** The shapes of a position as a viewer sees it, -1 for everything. @param {Uint8Array} state @param {number} viewer @returns {Int32Array} */
  rows(state, viewer) {
    this.load(this.seen(state, viewer));
    const size = COLUMNS * (this.info.drawing.max_rows + 1);
    this.exports.draw(this.tables, this.state, viewer, this.canvas);
    const canvas = this.heap.view(Int32Array, this.canvas, size);
    const rows = canvas.slice(COLUMNS, COLUMNS * (1 + canvas[0]));
    canvas[0] = 0;
    return rows;
  }
}
