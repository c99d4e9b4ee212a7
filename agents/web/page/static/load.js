/** Games from files and links, for replay and study. @module */
import { button, h, labelled, replace } from "./dom.js";
import { Refused, lineOf } from "./line.js";
import { readPlaythrough, replayed } from "./playthrough.js";
import { linkOf, readLink, readSeed } from "./share.js";

/**
 * The game of a link's query, checked against the games of this page.
 * @param {import("./app.js").Context} context
 * @param {URLSearchParams} query
 */
export async function lineOfLink(context, query) {
  const shared = readLink(query), game = await known(context, shared.game, shared.version, shared.players);
  const kernel = game.kernel(shared.players);
  if (shared.digest && !kernel.digest.startsWith(shared.digest)) {
    throw new Refused("the link is of a game with other components than this page has");
  }
  const line = lineOf(kernel, shared.seed, shared.actions);
  const at = Math.min(Math.max(shared.at ?? 0, 0), line.length);
  const view = shared.view !== null && shared.view >= -1 && shared.view < shared.players ? shared.view : -1;
  return { game, line, at, view, shared };
}

/** @param {import("./app.js").Context} context @param {string} name @param {number} version @param {number} players */
async function known(context, name, version, players) {
  if (!context.entries.some((one) => one.name === name)) throw new Refused(`this page has no game “${name}”`);
  const game = await context.game(name);
  if (game.manifest.version !== version) {
    throw new Refused(`it is of version ${version} of ${game.title}, this page has ${game.manifest.version}`);
  }
  if (!game.seats.includes(players)) throw new Refused(`${game.title} is not played by ${players}`);
  return game;
}

/** The game of a file's text; seeds are tried beside those it names. @param {import("./app.js").Context} context @param {string} text @param {bigint[]} [seeds] */
export async function lineOfFile(context, text, seeds = []) {
  const file = readPlaythrough(text), game = await known(context, file.game, file.version, file.players);
  return { game, line: replayed(file, game.kernel(file.players), seeds) };
}

/**
 * Controls that load a game.
 * @param {import("./app.js").Context} context
 * @param {string} screen where a game that is found is shown
 */
export function loader(context, screen) {
  const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  const input = h("input", { type: "file", accept: ".txt,text/plain" });
  const link = h("input", { type: "text", autocomplete: "off", placeholder: "…#replay?g=…" });
  const seed = h("input", { type: "text", inputmode: "numeric", autocomplete: "off" });
  /** @param {() => Promise<void>} work */
  const trying = async (work) => {
    trouble.hidden = true;
    try {
      await work();
    } catch (error) {
      replace(trouble, /** @type {Error} */ (error).message);
      trouble.hidden = false;
    }
  };
  /** The file that was read last, for a seed that is entered later. @type {File | undefined} */
  let last;
  const read = (/** @type {File | undefined} */ file) => trying(async () => {
    if (!file) return;
    last = file;
    const seeds = seed.value.trim() ? [readSeed(seed.value)] : [];
    const { line } = await lineOfFile(context, await file.text(), seeds);
    context.go(linkOf(line, screen).slice(1));
  });
  const follow = () => trying(async () => {
    const query = link.value.split("?").slice(1).join("?");
    const { line, at, view } = await lineOfLink(context, new URLSearchParams(query));
    context.go(linkOf(line, screen, { at, view }).slice(1));
  });
  input.addEventListener("change", () => read(input.files?.[0]));
  // The same file once more is no change, else.
  input.addEventListener("click", () => (input.value = ""));
  seed.addEventListener("change", () => read(last));
  const drop = {
    dragover: (/** @type {DragEvent} */ event) => event.preventDefault(),
    drop: (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      read(event.dataTransfer?.files[0]);
    },
  };
  return h(
    "div",
    { class: "card stack", on: drop },
    h("h2", {}, "Open a game"),
    labelled("A playthrough's file (or drop one here)", input),
    h("details", {}, h("summary", { class: "small" }, "The file does not name its seed"), labelled("Seed", seed)),
    labelled("or a game's link", link),
    h("div", { class: "row" }, button("Open the link", follow)),
    trouble,
  );
}
