/** The line to a seat's table on a server: it comes back by itself when it breaks. @module */
import { server } from "./server.js";

/** The first pause before the line is tried again, and the longest, in milliseconds. */
const [SHORTEST, LONGEST] = [500, 15_000];
/** Who looks again after so many milliseconds gets a new line. */
const ASLEEP = 30_000;
/** How long a line may take until the server has said who sits there. */
const PATIENCE = 8000;
/** What the server closes a line with that it does not want: of a seat it does not know, or that was opened elsewhere (RFC 6455). */
const POLICY = 1008;

/** The address of the sockets of this page's server. @returns {URL} */
function address() {
  const found = new URL(`${server}seat`, document.baseURI);
  found.protocol = found.protocol === "https:" ? "wss:" : "ws:";
  return found;
}

/**
 * @typedef {object} Heard
 * @property {(message: any) => void} message of the server
 * @property {(pause: number) => void} broken the line is, and will be tried again after so many milliseconds
 * @property {(why: string) => void} ended it has for good
 */

export class Connection {
  /** @param {string} token of the seat, or an invitation @param {Heard} heard @param {string} [fresh] the token that replaces an invitation */
  constructor(token, heard, fresh) {
    this.token = token;
    this.fresh = fresh;
    this.heard = heard;
    /** Whether the server knows who is here. */
    this.seated = false;
    this.closed = false;
    this.tries = 0;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.waiting = undefined;
    this.hiddenAt = 0;
    // Another network: what was open is dead, though it may not know.
    this._online = () => this.renew();
    this._seen = () => this.seen();
    addEventListener("online", this._online);
    document.addEventListener("visibilitychange", this._seen);
  }

  begin() {
    const socket = new WebSocket(address());
    this.socket = socket;
    setTimeout(() => socket === this.socket && !this.seated && this.renew(), PATIENCE);
    let why = "";
    socket.addEventListener("open", () => socket.send(JSON.stringify({ kind: "sit", token: this.token, fresh: this.fresh })));
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.socket) return;
      const message = JSON.parse(data);
      if (message.kind === "seated") {
        this.seated = true;
        this.tries = 0;
      } else if (!this.seated) why = message.why ?? "";
      if (this.seated) this.heard.message(message);
    });
    socket.addEventListener("close", ({ code, reason }) => socket === this.socket && this.broke(code, why || reason));
  }

  /** @param {number} code with which the line was closed @param {string} why */
  broke(code, why) {
    this.socket = null;
    this.seated = false;
    if (code === POLICY) {
      this.close();
      this.heard.ended(why || "the server does not want this line");
      return;
    }
    clearTimeout(this.waiting);
    const pause = Math.min(LONGEST, SHORTEST * 2 ** this.tries) * (0.75 + Math.random() / 2);
    this.tries += 1;
    this.waiting = setTimeout(() => this.again(), pause);
    this.heard.broken(pause);
  }

  /** Tries again at once, if the line is broken. */
  again() {
    if (this.closed || this.socket) return;
    clearTimeout(this.waiting);
    this.begin();
  }

  /** A line that does not answer is given up for a new one. */
  renew() {
    if (this.closed) return;
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.broke(0, "");
    this.again();
  }

  /** Somebody looks again: lines of machines that have slept may be dead without knowing it. */
  seen() {
    if (document.hidden) this.hiddenAt = performance.now();
    else if (this.seated && performance.now() - this.hiddenAt > ASLEEP) this.renew();
    else this.again();
  }

  /** Whether it went out. @param {any} message */
  send(message) {
    if (!this.seated) return false;
    this.socket?.send(JSON.stringify(message));
    return true;
  }

  close() {
    const { socket } = this;
    this.closed = true;
    this.socket = null;
    clearTimeout(this.waiting);
    removeEventListener("online", this._online);
    document.removeEventListener("visibilitychange", this._seen);
    socket?.close();
  }
}
