/** The worker of agents and networks; it answers the questions of `thinker.js` one after the other. @module */
import { catalogue, open } from "./games.js";
import { Players } from "./players.js";

/** @type {Map<string, Promise<Players>>} */
const tables = new Map();
/** Questions whose answers are no longer wanted. @type {Set<number>} */
const stopped = new Set();
let queue = Promise.resolve();

/** The agents of a game for a number of players. @param {string} name @param {number} count */
function playersOf(name, count) {
  const key = `${name} ${count}`;
  let found = tables.get(key);
  if (!found) {
    found = catalogue().then(async (entries) => {
      const entry = entries.find((one) => one.name === name);
      if (!entry) throw new Error(`this page has no game “${name}”`);
      return Players.open(await open(entry), count);
    });
    tables.set(key, found);
    found.catch(() => tables.delete(key));
  }
  return found;
}

/** Lets messages in, once in a while. */
const breath = () => new Promise((go) => setTimeout(go, 0));

/** @param {any} asked */
async function answer({ id, kind, game, players, ...details }) {
  if (stopped.delete(id)) return;
  let looked = performance.now();
  const still = async () => {
    if (performance.now() - looked > 50) {
      await breath();
      looked = performance.now();
    }
    return !stopped.has(id);
  };
  try {
    const table = await playersOf(game, players);
    const result = await table.answer(kind, details, still, (progress) => postMessage({ id, progress }));
    postMessage({ id, result });
  } catch (error) {
    if (!stopped.has(id)) postMessage({ id, error: /** @type {Error} */ (error).message });
  }
  stopped.delete(id);
}

addEventListener("message", ({ data }) => {
  if (data.kind === "stop") stopped.add(data.id);
  else queue = queue.then(() => answer(data));
});
