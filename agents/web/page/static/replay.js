/** Replay: a game from a file or a link. @module */
import { h } from "./dom.js";
import { lineOfLink, loader } from "./load.js";
import { Review } from "./review.js";

/** @param {import("./app.js").Context} context @returns {Promise<import("./app.js").Screen>} */
export async function show(context) {
  if (!context.query.has("g")) return { element: landing(context), title: "Replay" };
  const { game, line, at, view } = await lineOfLink(context, context.query);
  return new Replay(context, game, line, { at, view, screen: "replay" }).screen();
}

/** @param {import("./app.js").Context} context */
function landing(context) {
  return h(
    "div",
    { class: "narrow stack" },
    h("h1", {}, "Replay a game"),
    h("p", { class: "soft" }, "Step through any game: the view of each seat, or the whole state. Arrow keys move, Home and End go to its ends."),
    loader(context, "replay"),
  );
}

class Replay extends Review {
  toolButtons() {
    const study = h("a", { class: "button", href: "#study" }, "Study");
    study.addEventListener("click", () => (study.href = this.link("study")));
    return [...super.toolButtons(), study];
  }
}
