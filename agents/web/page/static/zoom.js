/** The size of the board in its pane: steps by a button, two fingers, or the wheel with Ctrl. @module */

const STEPS = [1, 1.5, 2.25, 3.5];
const [LEAST, MOST] = [1, 5];

export class Zoom {
  /** @param {HTMLElement} pane that scrolls; pictures right in it are enlarged @param {() => void} changed */
  constructor(pane, changed) {
    this.pane = pane;
    this.changed = changed;
    this.scale = 1;
    /** Between two fingers, and the scale when they touched. @type {{apart: number, scale: number} | null} */
    this.pinched = null;
    const apart = (/** @type {TouchList} */ [one, two]) => Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
    pane.addEventListener("touchstart", ({ touches }) => {
      this.pinched = touches.length === 2 ? { apart: apart(touches), scale: this.scale } : null;
    }, { passive: true });
    pane.addEventListener("touchmove", (event) => {
      const { touches } = event, [one, two] = touches;
      if (!this.pinched || touches.length !== 2) return;
      event.preventDefault();
      this.to((this.pinched.scale * apart(touches)) / this.pinched.apart, (one.clientX + two.clientX) / 2, (one.clientY + two.clientY) / 2);
    }, { passive: false });
    pane.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.to(this.scale * Math.exp(-event.deltaY / 200), event.clientX, event.clientY);
    }, { passive: false });
  }

  /** The next step; after the largest the smallest. */
  step() {
    const { left, top, width, height } = this.pane.getBoundingClientRect();
    this.to(STEPS.find((one) => one > this.scale + 0.01) ?? 1, left + width / 2, top + height / 2);
  }

  /** Another scale; a point of the screen stays where it is on the board. @param {number} scale @param {number} x @param {number} y */
  to(scale, x, y) {
    const { pane } = this, next = Math.min(MOST, Math.max(LEAST, scale)), grows = next / this.scale;
    const { left, top } = pane.getBoundingClientRect(), [dx, dy] = [x - left, y - top];
    const [across, down] = [(pane.scrollLeft + dx) * grows - dx, (pane.scrollTop + dy) * grows - dy];
    this.scale = next;
    pane.style.setProperty("--zoom", `${100 * next}%`);
    [pane.scrollLeft, pane.scrollTop] = [across, down];
    this.changed();
  }
}
