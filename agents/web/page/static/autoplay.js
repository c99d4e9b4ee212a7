/** A recorded game that runs by itself. @module */
import { button, replace, select, sign } from "./dom.js";
import { decimal, say } from "./say.js";
import { keep, kept } from "./store.js";

/** Milliseconds of a step. */
const SPEEDS = [2000, 1000, 500, 250];
/** Where the speed is stored, and the first one. */
const [SPEED, FIRST] = ["speed", 1000];
const [PLAY, PAUSE] = ["M6 3v18l15-9z", "M5 3h5v18H5zM14 3h5v18h-5z"];

export class Autoplay {
  /** @param {{at: number, line: import("./line.js").Line, goTo: (place: number) => void}} shown */
  constructor(shown) {
    this.shown = shown;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** Whether the next move is its own. */
    this.moving = false;
    this.button = button(sign(PLAY), () => this.toggle(), { class: "round" });
    this.speed = select(SPEEDS.map((pause) => [String(pause), `${decimal(1000 / pause, 1, 0)}×`]), String(kept(SPEED) ?? FIRST), (value) => keep(SPEED, Number(value)), { class: "speed", "aria-label": "Speed" });
    // A stored value of none of them.
    this.speed.value ||= String(FIRST);
    this.stop();
  }

  /** Play from here, at the end from the beginning; or pause. */
  toggle() {
    if (this.timer !== undefined) {
      this.stop();
      return;
    }
    const { at, line } = this.shown;
    if (at >= line.length) this.go(0);
    this.wait();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.name("Play by itself (p)", PLAY);
  }

  /** A step that a person has made ends it. */
  moved() {
    if (!this.moving && this.timer !== undefined) this.stop();
  }

  wait() {
    this.name("Pause (p)", PAUSE);
    this.timer = setTimeout(() => {
      this.go(this.shown.at + 1);
      if (this.shown.at < this.shown.line.length) this.wait();
      else this.stop();
    }, Number(this.speed.value));
  }

  /** @param {number} place */
  go(place) {
    this.moving = true;
    this.shown.goTo(place);
    this.moving = false;
  }

  /** @param {string} label @param {string} path */
  name(label, path) {
    this.button.title = say(label);
    this.button.setAttribute("aria-label", say(label));
    replace(this.button, sign(path));
  }
}
