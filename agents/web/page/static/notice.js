/** Tells a person who looks elsewhere that it is their turn: by the title of the page, and by a sound. @module */
import { button } from "./dom.js";
import { say } from "./say.js";
import { keep, kept } from "./store.js";

/** Frequencies of the tones in hertz, and the length of each in seconds. */
const [TONES, LENGTH] = [[660, 880], 0.16];
const LOUDNESS = 0.15;

/** @type {AudioContext | undefined} */
let audio;

/** Play two tones; a browser that was not clicked into yet stays silent. */
function chime() {
  audio ??= new AudioContext();
  audio.resume();
  TONES.forEach((frequency, i) => {
    const { currentTime, destination } = /** @type {AudioContext} */ (audio), start = currentTime + i * LENGTH;
    const tone = new OscillatorNode(/** @type {AudioContext} */ (audio), { frequency });
    const gain = new GainNode(/** @type {AudioContext} */ (audio), { gain: LOUDNESS });
    gain.gain.setValueAtTime(LOUDNESS, start);
    gain.gain.exponentialRampToValueAtTime(0.001, start + LENGTH);
    tone.connect(gain).connect(destination);
    tone.start(start);
    tone.stop(start + LENGTH);
  });
}

export class Notice {
  constructor() {
    /** The page's own title while the notice stands in its place. @type {string | null} */
    this.title = null;
    /** Turns the sound on, which can then be heard, and off. */
    this.control = button("Sound", () => {
      keep("sound", !kept("sound") || null);
      this.control.setAttribute("aria-pressed", String(Boolean(kept("sound"))));
      if (kept("sound")) chime();
    }, { class: "quiet", "aria-pressed": String(Boolean(kept("sound"))), title: "A short sound when it becomes your turn while you look elsewhere" });
    this._seen = () => !document.hidden && this.clear();
    document.addEventListener("visibilitychange", this._seen);
  }

  /** It has become the person's turn. */
  turn() {
    if (!document.hidden) return;
    this.title ??= document.title;
    document.title = `● ${say("Your turn")} · ${this.title}`;
    if (kept("sound")) chime();
  }

  /** The page has its own title again. */
  clear() {
    if (this.title !== null) document.title = this.title;
    this.title = null;
  }

  stop() {
    this.clear();
    document.removeEventListener("visibilitychange", this._seen);
  }
}
