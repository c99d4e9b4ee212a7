/** The server that this page came from, where it is one that has tables. @module */
import { Refused } from "./line.js";

/** Where it answers, relative to the page; null for a page of files alone. @type {string | null} */
export const server = /** @type {any} */ (document.querySelector("meta[name=server]"))?.content ?? null;

/**
 * What the server answers; Refused says in words why it does not.
 * @param {string} path
 * @param {any} [sent] as JSON; without it something is only read
 * @returns {Promise<any>}
 */
export async function asked(path, sent) {
  const headers = { "Content-Type": "application/json" };
  const how = sent === undefined ? {} : { method: "POST", headers, body: JSON.stringify(sent) };
  let answer;
  try {
    answer = await fetch(new URL(server + path, document.baseURI), { cache: "no-store", ...how });
  } catch {
    throw new Refused("the server cannot be reached");
  }
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(told.error ?? `the server answers ${answer.status}`);
  return told;
}
