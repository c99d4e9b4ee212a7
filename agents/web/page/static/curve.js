/** Win probabilities over a game, one line a seat. @module */
import { h, percent, replace, s } from "./dom.js";
import { seatmark } from "./mark.js";
import { say } from "./say.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [360, 140, 34, 16];

/** A line's pattern beside its colour. */
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "1 5", "12 4"];

export class Curve {
  /** @param {(at: number) => void} jump */
  constructor(jump) {
    this.jump = jump;
    this.length = 1;
    this.svg = s("svg", { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", on: { click: (/** @type {MouseEvent} */ event) => this.clicked(event) } });
    this.legend = h("p", { class: "small legend" });
    this.element = h("section", { class: "card stack tight", "aria-label": "Win probability" }, h("h2", {}, "Win probability"), this.svg, this.legend);
  }

  /** @param {number} at */
  x(at) {
    return LEFT + ((WIDTH - LEFT - 4) * at) / Math.max(1, this.length);
  }

  /** @param {number} share */
  y(share) {
    return 4 + (HEIGHT - BOTTOM - 4) * (1 - share);
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
    const grid = [0, 0.5, 1].map((share) => [
      s("line", { class: "grid", x1: LEFT, x2: WIDTH - 4, y1: this.y(share), y2: this.y(share) }),
      s("text", { x: LEFT - 5, y: this.y(share) + 4, "text-anchor": "end" }, `${100 * share} %`),
    ]);
    const marks = rounds.map(({ round, at: place }) => [
      s("line", { class: "grid", x1: this.x(place), x2: this.x(place), y1: 4, y2: HEIGHT - BOTTOM }),
      s("text", { x: this.x(place) + 3, y: HEIGHT - 4 }, `round ${round}`),
    ]);
    const lines = Array.from({ length: seats }, (_, seat) => {
      const points = known.map(({ place, shares }) => `${this.x(place).toFixed(1)},${this.y(shares[seat]).toFixed(1)}`);
      return s("polyline", { class: "track", points: points.join(" "), "stroke-dasharray": DASHES[seat] || null, data: { seat } });
    });
    const cursor = s("line", { class: "cursor", x1: this.x(at), x2: this.x(at), y1: 2, y2: HEIGHT - BOTTOM });
    replace(this.svg, grid, marks, lines, cursor);
    const here = known.findLast(({ place }) => place <= at)?.shares;
    const text = here ? here.map((share, seat) => `player ${seat} ${percent(share)}`).join(", ") : "not known yet";
    this.svg.setAttribute("aria-label", say(`Win probability over the game; here ${text}`));
    replace(this.legend, here ? here.map((share, seat) => h("span", { class: "key" }, seatmark(seat), percent(share))) : text);
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) * WIDTH) / box.width;
    const at = Math.round(((x - LEFT) / (WIDTH - LEFT - 4)) * this.length);
    this.jump(Math.min(Math.max(at, 0), this.length));
  }
}
