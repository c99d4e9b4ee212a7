/** Win probabilities over a game, one line a seat; below them how skill and luck changed them. @module */
import { h, percent, replace, s } from "./dom.js";
import { seatmark } from "./mark.js";
import { say } from "./say.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [360, 140, 40, 16];

/** A line's pattern beside its colour. */
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "1 5", "12 4"];

/** The change of a player's win probability from one own step to the next, and the skill that was lost in it beyond doubt. @typedef {{at: number, until: number, from: number, skill: number, to: number}} Change */

export class Curve {
  /** @param {(at: number) => void} jump */
  constructor(jump) {
    this.jump = jump;
    this.length = 1;
    const chart = () => s("svg", { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", on: { click: (/** @type {MouseEvent} */ event) => this.clicked(event) } });
    this.svg = chart();
    this.legend = h("p", { class: "small legend" });
    this.waterfall = chart();
    this.changes = h("div", { class: "stack tight", hidden: true }, h("h3", {}, "Skill and luck"), this.waterfall, h("p", { class: "small legend" }, h("span", { class: "key lost" }, "skill lost"), h("span", { class: "key luck" }, "luck: chance and the choices of others")));
    this.element = h("section", { class: "card stack tight", "aria-label": "Win probability" }, h("h2", {}, "Win probability"), this.svg, this.legend, this.changes);
  }

  /** @param {number} at */
  x(at) {
    return LEFT + ((WIDTH - LEFT - 4) * at) / Math.max(1, this.length);
  }

  /** @param {number} share */
  y(share) {
    return 4 + (HEIGHT - BOTTOM - 4) * (1 - Math.min(1, Math.max(0, share)));
  }

  /**
   * @param {(number[] | null)[]} values win shares of all seats at every place; null where nothing is known
   * @param {number} at the place one looks at
   * @param {{round: number, at: number}[]} rounds
   */
  show(values, at, rounds) {
    this.length = values.length - 1;
    const known = values.flatMap((shares, place) => (shares ? [{ place, shares }] : []));
    const seats = known[0]?.shares.length ?? 0;
    const lines = Array.from({ length: seats }, (_, seat) => {
      const points = known.map(({ place, shares }) => `${this.x(place).toFixed(1)},${this.y(shares[seat]).toFixed(1)}`);
      return s("polyline", { class: "track", points: points.join(" "), "stroke-dasharray": DASHES[seat] || null, data: { seat } });
    });
    replace(this.svg, this.frame(at, rounds), lines);
    const here = known.findLast(({ place }) => place <= at)?.shares;
    const text = here ? here.map((share, seat) => `player ${seat} ${percent(share)}`).join(", ") : "not known yet";
    this.svg.setAttribute("aria-label", say(`Win probability over the game; here ${text}`));
    replace(this.legend, here ? here.map((share, seat) => h("span", { class: "key" }, seatmark(seat), percent(share))) : text);
  }

  /** Grid, rounds and the place one looks at. @param {number} at @param {{round: number, at: number}[]} rounds */
  frame(at, rounds) {
    const upright = (/** @type {string} */ kind, /** @type {number} */ place) => s("line", { class: kind, x1: this.x(place), x2: this.x(place), y1: 4, y2: HEIGHT - BOTTOM });
    const grid = [0, 0.5, 1].map((share) => [
      s("line", { class: "grid", x1: LEFT, x2: WIDTH - 4, y1: this.y(share), y2: this.y(share) }),
      s("text", { x: LEFT - 5, y: Math.max(10, this.y(share) + 4), "text-anchor": "end" }, `${100 * share} %`),
    ]);
    return [grid, rounds.map(({ round, at: place }) => [upright("grid", place), s("text", { x: this.x(place) + 3, y: HEIGHT - 4 }, say(`round ${round}`))]), upright("cursor", at)];
  }

  /** Show skill and luck of some steps, each as a bar from win probability to win probability. @param {Change[]} changes @param {number} at @param {{round: number, at: number}[]} rounds */
  showChanges(changes, at, rounds) {
    // A change that is too small for the eye still has a bar, and one of nothing is a line.
    const bars = (/** @type {Change[]} */ some, /** @type {(change: Change) => number[]} */ ends) => some.map((one) => {
      const [first, last] = ends(one).map((share) => this.y(share)), high = Math.max(1, Math.abs(last - first));
      const left = this.x(one.at), wide = Math.max(1, this.x(one.until) - left);
      return `M${left.toFixed(1)} ${((first + last - high) / 2).toFixed(1)}h${wide.toFixed(1)}v${high.toFixed(1)}h${-wide.toFixed(1)}z`;
    }).join("");
    const lost = changes.filter(({ skill }) => skill);
    this.changes.hidden = !changes.length;
    replace(this.waterfall, this.frame(at, rounds), s("path", { class: "luck", d: bars(changes, ({ from, skill, to }) => [from + skill, to]) }), s("path", { class: "lost", d: bars(lost, ({ from, skill }) => [from, from + skill]) }));
    this.waterfall.setAttribute("aria-label", say(`Skill and luck of ${changes.length} steps; ${lost.length} lost skill`));
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) * WIDTH) / box.width;
    const at = Math.round(((x - LEFT) / (WIDTH - LEFT - 4)) * this.length);
    this.jump(Math.min(Math.max(at, 0), this.length));
  }
}
