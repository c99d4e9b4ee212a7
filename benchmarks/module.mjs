/**
 * Plays a game's WebAssembly module for `python -m benchmarks.wasm`: reads the name of a way, a line each, does a piece
 * of work and writes how much that was.
 */

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [module, described, players, state, weights] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(described, "utf8"));
const { sizes, tables } = { ...manifest.common, ...manifest.players[players] };
const { exports } = await WebAssembly.instantiate(await WebAssembly.compile(readFileSync(module)), {});

let top = exports.__heap_base.value;

/** The address of so many bytes. */
function take(bytes) {
  const at = Math.ceil(top / 16) * 16;
  top = at + bytes;
  const missing = top - exports.memory.buffer.byteLength;
  if (missing > 0) exports.memory.grow(Math.ceil(missing / 65536));
  return at;
}

/** The address of a copy of some bytes. */
function put(bytes) {
  const at = take(bytes.length);
  new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
  return at;
}

const table = put(Buffer.from(tables, "base64"));
const root = put(readFileSync(state));
const game = take(sizes.state);
const words = take(8 * sizes.words);
const ids = take(4 * 64 * sizes.words);
const observation = take(4 * sizes.observation);
const visits = take(8 * sizes.actions);
const values = take(8 * sizes.actions);
let seed = 0;
let draws = 1;

/** A number below a bound: quick, and the same in every run. */
function below(bound) {
  draws = (Math.imul(draws, 1664525) + 1013904223) >>> 0;
  return Math.floor((draws / 2 ** 32) * bound);
}

/** A random game; how many decisions it had. */
function play(isSeen) {
  exports.reset(table, game, seed++, 0, Number(players));
  for (let decisions = 0; ; decisions++) {
    const count = exports.legal_ids(table, game, words, ids);
    if (count === 0) return decisions;
    if (isSeen) exports.observe(table, game, exports.current_player(game), observation, sizes.observation);
    exports.step(table, game, new Int32Array(exports.memory.buffer, ids, count)[below(count)]);
  }
}

const depth = 400;
const simulations = 200;
const places = 512;
const tree = take(exports.tree_bytes(places, depth, Number(players), sizes.actions));

/** IS-MCTS as the agent "ismcts" is without parameters, but for the number of simulations. */
function searchTree() {
  const rules = [0, 1, 1, 0, depth, manifest.has_rounds ? 2 : 0, 100000, 1, 15, 0.1, 0];
  exports.tree_search(table, root, tree, places, sizes.actions, ...rules, seed++, 0, 0, simulations);
  exports.tree_votes(table, root, tree, places, sizes.actions, 0, 1, depth, visits, values);
  return 1;
}

const ways = { random: () => play(false), observed: () => play(true), ismcts: searchTree };

if (weights) {
  // Widths first, then float32 weights as `forward` wants them.
  const bytes = readFileSync(weights);
  const [inputs, width, blocks, actions, seats] = new Int32Array(bytes.buffer, bytes.byteOffset, 5);
  const network = put(bytes.subarray(20));
  const scratch = take(exports.forward_bytes(inputs, width) + 4 * seats);
  const many = 16;
  const given = take(4 * inputs * many);
  const logits = take(4 * actions * many);
  const said = take(4 * seats * many);
  exports.observe(table, root, exports.current_player(root), given, inputs);
  new Uint8Array(exports.memory.buffer).copyWithin(given + 4 * inputs, given, given + 4 * inputs * (many - 1));
  for (let row = 1; row < many; row++) {
    new Uint8Array(exports.memory.buffer).copyWithin(given + 4 * inputs * row, given, given + 4 * inputs);
  }
  ways.network = () => {
    exports.forward(network, inputs, width, blocks, actions, seats, given, many, logits, said, scratch);
    return many;
  };
  const parallel = 8;
  const rounds = 12;
  const size = 2 ** Math.ceil(Math.log2(2 * actions + 32 * parallel * rounds));
  const block = [size, parallel, Number(players), actions, inputs];
  const memory = take(exports.guided_bytes(...block));
  ways.guided = () => {
    exports.guided_begin(root, memory, size, parallel, actions, inputs, seed++, 0);
    for (let round = 0, first = 0; round <= rounds; first += round++ ? parallel : 1) {
      const count = round ? parallel : 1;
      const asked = [network, width, blocks, seats, 1, scratch];
      exports.guided_round(table, memory, ...block, first, count, 1.25, 1, 0, ...asked);
    }
    exports.guided_tally(table, memory, ...block, visits, values);
    return 1;
  };
}

for await (const way of createInterface({ input: process.stdin })) console.log(ways[way]());
