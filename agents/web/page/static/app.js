/** The page: header, routes, the game that is chosen. @module */
import { button, h, replace, select, sign } from "./dom.js";
import { catalogue, open } from "./games.js";
import { LANGUAGES, choose, language, say } from "./say.js";
import { keep, kept } from "./store.js";
import { server } from "./server.js";
import { Thinker } from "./thinker.js";

/**
 * The input of a screen.
 * @typedef {object} Context
 * @property {import("./data.d.ts").Entry[]} entries of all games
 * @property {(name: string) => Promise<import("./games.js").Game>} game by its name
 * @property {string} chosen name of the game that is chosen above
 * @property {Thinker} thinker
 * @property {(line: import("./line.js").Line) => Promise<import("./analyst.js").Analyst | null>} analystOf the agent that analyses a game of the server
 * @property {URLSearchParams} query of the address
 * @property {(screen: string) => void} go to another screen, its query included
 */

/**
 * @typedef {object} Screen
 * @property {HTMLElement} element
 * @property {string} title
 * @property {() => void} [leave] stops the screen
 * @property {(event: KeyboardEvent) => void} [keyed]
 */

/** Screens by name; each is loaded when it is first shown. @type {Record<string, () => Promise<{show: (context: Context) => Promise<Screen>}>>} */
const SCREENS = {
  play: () => import("./play.js"),
  learn: () => import("./lesson.js"),
  puzzle: () => import("./puzzle.js"),
  replay: () => import("./replay.js"),
  study: () => import("./study.js"),
  ...(server && { together: () => import("./together.js"), seat: () => import("./seat.js") }),
};
/** Screens that belong to another one of the header. @type {Record<string, string>} */
const WITHIN = { seat: "together", learn: "play", puzzle: "play" };
const HALF_MOON = "M12 2a10 10 0 1 0 .01 0zM12 5a7 7 0 0 1 0 14z";
const NAMES = { play: "Play", ...(server && { together: "Together" }), replay: "Replay", study: "Study" };

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const top = /** @type {HTMLElement} */ (document.getElementById("top"));
/** The link of `index.html` past the header. */
const skip = document.querySelector(".skip");
const thinker = new Thinker();
/** The game that is shown. @type {import("./games.js").Game | null} */
let shown = null;
/** @type {Screen | null} */
let now = null;
let turn = 0;

/** Name and query of the address. @returns {[string, URLSearchParams]} */
function route() {
  const [name, query = ""] = location.hash.slice(1).split("?");
  return [Object.hasOwn(SCREENS, name) ? name : "play", new URLSearchParams(query)];
}

/** @param {import("./data.d.ts").Entry[]} entries */
function chosenGame(entries) {
  const asked = [route()[1].get("game"), kept("game")].find((name) => entries.some((one) => one.name === name));
  return asked ?? entries[0].name;
}

/** @param {import("./data.d.ts").Entry[]} entries @param {string} screen */
function header(entries, screen) {
  // A click on the current address fires no event: show the screen again.
  const again = (/** @type {string} */ name) => ({ click: () => location.hash === `#${name}` && show(entries) });
  const links = Object.entries(NAMES).map(([name, text]) =>
    h("a", { href: `#${name}`, "aria-current": name === (WITHIN[screen] ?? screen) ? "page" : null, on: again(name) }, text),
  );
  // A seat's table says itself which game it is of.
  const asks = screen !== "seat";
  const options = entries.map(({ name, title }) => /** @type {[string, string]} */ ([name, title]));
  const games = select(options, chosenGame(entries), (name) => {
    keep("game", name);
    keepFiles(entries).catch(console.warn);
    if (location.hash.includes("?")) location.hash = `#${screen}`;
    else show(entries);
  }, { "aria-label": "Game" });
  const spoken = select(Object.entries(LANGUAGES), language(), (code) => {
    choose(code);
    show(entries);
  }, { "aria-label": "Language" });
  const rules = button("Rules", () => showRules(entries), { class: "quiet rulesbutton", title: "Rules and keys (?)" });
  const light = button(sign(HALF_MOON), toggle, { class: "quiet round", "aria-label": "Light or dark", title: "Light or dark" });
  replace(top, h("a", { class: "brand", href: "#play", on: again("play") }, h("img", { src: "icon.svg", alt: "" }), h("span", {}, "At the table")), asks && games, h("nav", { "aria-label": "Screens" }, links), rules, spoken, light);
}

/** Open the rules of the game that is shown. @param {import("./data.d.ts").Entry[]} entries */
async function showRules(entries) {
  const { Rules } = await import("./rules.js");
  const game = shown ?? (await opened(entries, chosenGame(entries)));
  await new Rules(game).open();
}

/** Switch to the other theme, and store it. */
function toggle() {
  const other = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("theme", other);
    dispatchEvent(new Event("theme"));
  } catch {
    document.documentElement.dataset.theme = other;
  }
}

/** Show the screen of the address. @param {import("./data.d.ts").Entry[]} entries */
async function show(entries) {
  const [name, query] = route();
  turn += 1;
  const mine = turn;
  now?.leave?.();
  now = null;
  document.documentElement.lang = language();
  if (skip) replace(skip, "To the table");
  header(entries, name);
  const chosen = chosenGame(entries);
  keep("game", chosen);
  const context = {
    entries,
    chosen,
    thinker,
    analystOf: async (/** @type {import("./line.js").Line} */ line) => (server ? (await import("./analyst.js")).analystOf(line) : null),
    query,
    game: (/** @type {string} */ asked) => opened(entries, asked),
    go: (/** @type {string} */ where) => (location.hash === `#${where}` ? show(entries) : (location.hash = where)),
  };
  try {
    const screen = await (await SCREENS[name]()).show(context);
    if (mine !== turn) {
      screen.leave?.();
      return;
    }
    now = screen;
    replace(main, screen.element);
    // The link that had the focus is gone: move the focus to the screen.
    if (turn > 1 && document.activeElement === document.body) main.focus({ preventScroll: true });
    document.title = `${say(screen.title)} · ${say("At the table")}`;
  } catch (error) {
    if (mine === turn) replace(main, failed(error));
    if (/** @type {any} */ (error)?.name !== "Refused") console.error(error);
  }
}

/** @param {import("./data.d.ts").Entry[]} entries @param {string} name */
async function opened(entries, name) {
  const entry = entries.find((one) => one.name === name);
  if (!entry) throw new Error(`this page has no game “${name}”`);
  if (!document.getElementById(`colours-${name}`)) {
    document.head.append(h("link", { id: `colours-${name}`, rel: "stylesheet", href: entry.colours }));
  }
  shown = await (await open(entry)).speak();
  return shown;
}

/** @param {any} error */
function failed(error) {
  return h("div", { class: "narrow stack" }, h("h1", {}, "This cannot be shown"), h("p", { class: "trouble", role: "alert" }, error.message), h("p", {}, h("a", { href: "#play", on: { click: restart } }, "To a new game")));
}

/** Reload the page: after a failure, nothing loaded may work. */
function restart() {
  location.hash = "#play";
  location.reload();
}

async function begin() {
  // Its fragment names no screen.
  skip?.addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  const entries = await catalogue();
  addEventListener("hashchange", () => show(entries));
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLElement && event.target.matches("input:not([type=range]), select, textarea");
    // A sheet above the screen has the keys for itself.
    if (typing || document.querySelector("dialog[open]")) return;
    if (event.key === "?") showRules(entries);
    else now?.keyed?.(event);
  });
  await show(entries);
  // The first move comes first.
  setTimeout(() => keepFiles(entries).catch(console.warn), 1000);
}

/** Whether the page comes from a program on this machine, which shares its port with other programs. */
const isLoopback = /^(localhost|127\..*|\[::1\])$/.test(location.hostname);

/** Keep the page and the chosen game for use without a network, where the browser allows that. @param {import("./data.d.ts").Entry[]} entries */
async function keepFiles(entries) {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  const script = new URL("sw.js", import.meta.url);
  if (isLoopback) return removeWorker(script);
  await navigator.serviceWorker.register(script, { scope: "./" });
  const { active } = await navigator.serviceWorker.ready;
  const chosen = entries.find(({ name }) => name === chosenGame(entries));
  const pictures = entries.flatMap(({ card }) => (card ? [card.picture] : []));
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => (document.documentElement.dataset.offline = "ready");
  active?.postMessage({ keep: [...(chosen?.files ?? []), ...pictures] }, [port2]);
}

/** Remove the service worker that an earlier version has registered. @param {URL} script */
async function removeWorker({ href }) {
  for (const registration of await navigator.serviceWorker.getRegistrations()) {
    const { active, waiting, installing, scope } = registration;
    if (![active, waiting, installing].some((worker) => worker?.scriptURL === href)) continue;
    await registration.unregister();
    for (const name of await caches.keys()) if (name.startsWith(`table ${scope} `)) await caches.delete(name);
  }
}

begin().catch((error) => {
  replace(main, failed(error));
  console.error(error);
});
