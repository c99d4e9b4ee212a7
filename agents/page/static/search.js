/** Search in the worker. @module */

/** @typedef {{run: (state: Uint8Array, seed: bigint, seconds: number, still: () => Promise<boolean>, told?: (found: any) => void) => Promise<any>}} Search */

/** @param {import("./games.js").Game} game @param {import("./kernel.js").Kernel} kernel @param {import("./judge.js").Judge | null} judge @returns {Search} */
export function bindSearch(game, kernel, judge) {
  throw new Error("there is no search yet");
}
