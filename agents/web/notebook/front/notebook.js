/**
 * The games in a notebook: a table or a replay in a shadow root, so that the notebook's styles and the game's stay apart.
 *
 * A kernel, or the saved state of one, provides all files; nothing is loaded from elsewhere.
 * @module
 */
import { h, replace } from "../../page/static/dom.js";
import { Game } from "../../page/static/games.js";
import { followed } from "./surroundings.js";
import { TableWidget } from "./table.js";
import { Watching } from "./watching.js";

/** @param {DataView<ArrayBuffer>} view of gzip's bytes @returns {Promise<ArrayBuffer>} */
function unpacked(view) {
  const stream = new Blob([view]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** The game of a widget, and its style sheet. @param {any} model */
async function opened(model) {
  const files = model.get("_files"), text = new TextDecoder();
  const [module, manifest, styles, words] = await Promise.all([
    unpacked(files.module).then((bytes) => WebAssembly.compile(bytes)),
    unpacked(files.manifest).then((bytes) => JSON.parse(text.decode(bytes))),
    unpacked(files.styles).then((bytes) => text.decode(bytes)),
    files.words && unpacked(files.words).then((bytes) => JSON.parse(text.decode(bytes))),
  ]);
  // Networks and searches are Python's here.
  const entry = { name: manifest.game, title: manifest.game, module: "", manifest: "", colours: "", words: {}, rules: {}, networks: {}, ratings: {}, files: [] };
  const game = new Game(entry, manifest, module);
  game.told = words ?? null;
  return { game, styles };
}

/** The hook of anywidget for every output that shows the widget. @param {{model: any, el: HTMLElement}} output @returns {Promise<() => void>} the cleanup */
export async function render({ model, el }) {
  // Notebooks have shortcuts for the keys that choose here.
  const host = h("div", { class: "game-widget", data: { lmSuppressShortcuts: "true", jpSuppressContextMenu: "true" } });
  const root = host.attachShadow({ mode: "open" }), frame = h("div", { class: "notebook" });
  root.append(frame);
  el.append(host);
  try {
    const { game, styles } = await opened(model);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    root.adoptedStyleSheets = [sheet];
    const ended = followed(host);
    const shown = model.get("_kind") === "table" ? new TableWidget(game, model) : new Watching(game, model);
    replace(frame, shown.element);
    frame.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => shown.keyed(event));
    shown.begin();
    return () => {
      ended();
      shown.leave();
      host.remove();
    };
  } catch (error) {
    replace(frame, h("p", { role: "alert" }, /** @type {Error} */ (error).message));
    throw error;
  }
}
