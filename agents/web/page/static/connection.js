/** The connection to a seat's table on a server, which reconnects by itself. @module */
import { ownName } from "./people.js";
import { server } from "./server.js";

/** The first pause before a reconnect, and the longest, in milliseconds. */
const [SHORTEST, LONGEST] = [500, 15_000];
/** Milliseconds of absence after which a visible page reconnects. */
const ASLEEP = 30_000;
/** Milliseconds for the first answer of the server. */
const PATIENCE = 8000;
/** Close code of a refused socket: an unknown seat, or one that was opened elsewhere (RFC 6455). */
const POLICY = 1008;

/** The address of the sockets of this page's server. @returns {URL} */
function address() {
  const found = new URL(`${server}seat`, document.baseURI);
  found.protocol = found.protocol === "https:" ? "wss:" : "ws:";
  return found;
}

/**
 * @typedef {object} Listener
 * @property {(message: any) => void} message called with each message of the server
 * @property {(pause: number) => void} broken called when the connection is lost, with the milliseconds until the next try
 * @property {(why: string) => void} ended called when the connection ends for good
 */

export class Connection {
  /** @param {string} token of the seat, an invitation, or of onlookers @param {Listener} listener @param {string} [fresh] the token that replaces an invitation */
  constructor(token, listener, fresh) {
    this.token = token;
    this.fresh = fresh;
    this.listener = listener;
    /** Whether the server has accepted the seat. */
    this.seated = false;
    this.closed = false;
    this.tries = 0;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.waiting = undefined;
    this.hiddenAt = 0;
    // The network has changed, and open sockets are dead.
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
    socket.addEventListener("open", () => socket.send(JSON.stringify({ kind: "sit", token: this.token, fresh: this.fresh, name: ownName() || undefined })));
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.socket) return;
      const message = JSON.parse(data);
      if (message.kind === "seated") {
        this.seated = true;
        this.tries = 0;
      } else if (!this.seated) why = message.why ?? "";
      if (this.seated) this.listener.message(message);
    });
    socket.addEventListener("close", ({ code, reason }) => socket === this.socket && this.broke(code, why || reason));
  }

  /** @param {number} code of the close frame @param {string} why */
  broke(code, why) {
    this.socket = null;
    this.seated = false;
    if (code === POLICY) {
      this.close();
      this.listener.ended(why || "the server refuses this seat");
      return;
    }
    clearTimeout(this.waiting);
    const pause = Math.min(LONGEST, SHORTEST * 2 ** this.tries) * (0.75 + Math.random() / 2);
    this.tries += 1;
    this.waiting = setTimeout(() => this.again(), pause);
    this.listener.broken(pause);
  }

  /** Reconnect at once, if the connection is lost. */
  again() {
    if (this.closed || this.socket) return;
    clearTimeout(this.waiting);
    this.begin();
  }

  /** Replace a socket that does not answer. */
  renew() {
    if (this.closed) return;
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.broke(0, "");
    this.again();
  }

  /** Check the connection when the page becomes visible: sockets do not survive a sleeping machine. */
  seen() {
    if (document.hidden) this.hiddenAt = performance.now();
    else if (this.seated && performance.now() - this.hiddenAt > ASLEEP) this.renew();
    else this.again();
  }

  /** Send a message; return whether that was possible. @param {any} message */
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
