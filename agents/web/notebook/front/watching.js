/** A replay: that of the page, without its address bar and its network. @module */
import { button } from "../../page/static/dom.js";
import { lineOf } from "../../page/static/line.js";
import { save } from "../../page/static/outcome.js";
import { Review } from "../../page/static/review.js";
import { readLink } from "../../page/static/share.js";

class Course extends Review {
  panels() {
    return [];
  }

  toolButtons() {
    return [this.rounds, button("Save", () => save(this.line))];
  }

  showAddress() {}

  showInsight() {}
}

export class Watching {
  /** @param {import("../../page/static/games.js").Game} game @param {any} model */
  constructor(game, model) {
    this.model = model;
    const { players, seed, actions } = readLink(new URLSearchParams(model.get("_link").split("?")[1]));
    const line = lineOf(game.kernel(players), seed, actions);
    // A widget asks no worker and goes to no other screen.
    const context = /** @type {import("../../page/static/app.js").Context} */ ({});
    this.review = new Course(context, game, line, { at: model.get("at"), view: model.get("view") ?? -1, screen: "replay" });
    this.element = this.review.table.element;
    this.moved = () => this.follow();
  }

  begin() {
    const { review, model } = this, show = review.show.bind(review);
    // A kernel learns which step and view are shown.
    review.show = () => {
      show();
      this.tell();
    };
    review.screen();
    model.on("change:at", this.moved);
    model.on("change:view", this.moved);
  }

  leave() {
    this.review.stopped.abort();
    this.model.off("change:at", this.moved);
    this.model.off("change:view", this.moved);
  }

  tell() {
    const { model, review } = this, view = review.viewer < 0 ? null : review.viewer;
    if (model.get("at") === review.at && model.get("view") === view) return;
    model.set("at", review.at);
    model.set("view", view);
    model.save_changes();
  }

  /** Python has chosen another place or view. */
  follow() {
    const { model, review } = this, at = model.get("at"), viewer = model.get("view") ?? -1;
    if (at === review.at && viewer === review.viewer) return;
    review.viewer = viewer;
    review.goTo(at);
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    this.review.keyed(event);
  }
}
