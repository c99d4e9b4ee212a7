/** The page's end of the worker in which agents and networks run. @module */

export class Thinker {
  constructor() {
    /** @type {Worker | null} */
    this._worker = null;
    /** @type {Map<number, {resolve: (value: any) => void, reject: (reason: Error) => void, progress?: (value: any) => void}>} */
    this._waiting = new Map();
    this._last = 0;
  }

  get worker() {
    if (!this._worker) {
      this._worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
      this._worker.addEventListener("message", ({ data }) => this.receive(data));
      this._worker.addEventListener("error", (event) => {
        for (const { reject } of this._waiting.values()) reject(new Error(event.message || "the worker has stopped"));
        this._waiting.clear();
        // The next question gets a new worker.
        this._worker?.terminate();
        this._worker = null;
      });
    }
    return this._worker;
  }

  /** End the worker; questions without an answer stay so. */
  close() {
    this._worker?.terminate();
    this._worker = null;
  }

  /** @param {any} data */
  receive({ id, progress, result, error }) {
    const one = this._waiting.get(id);
    if (!one) return;
    if (progress !== undefined) {
      one.progress?.(progress);
      return;
    }
    this._waiting.delete(id);
    if (error) one.reject(new Error(error));
    else one.resolve(result);
  }

  /**
   * Ask the worker. Questions hold redacted states only, unless the viewer sees the whole state.
   * @param {string} kind the kind of the question
   * @param {import("./kernel.js").Kernel} kernel
   * @param {Record<string, any>} details
   * @param {{signal?: AbortSignal, progress?: (value: any) => void}} [more] to stop it, and to get intermediate results
   * @returns {Promise<any>}
   */
  ask(kind, kernel, details, { signal, progress } = {}) {
    this._last += 1;
    const id = this._last;
    return new Promise((resolve, reject) => {
      this._waiting.set(id, { resolve, reject, progress });
      this.worker.postMessage({ id, kind, game: kernel.manifest.game, players: kernel.players, ...details });
      signal?.addEventListener("abort", () => {
        if (!this._waiting.delete(id)) return;
        this.worker.postMessage({ id, kind: "stop" });
        reject(new DOMException("stopped", "AbortError"));
      });
    });
  }
}

/** Whether an error only says that something was stopped. @param {any} error */
export const isStop = (error) => error?.name === "AbortError";
