/** The server of tables that this page came from, if any. @module */
import { Refused } from "./line.js";

/** The address of its endpoints, relative to the page; null for a page of files alone. @type {string | null} */
export const server = /** @type {any} */ (document.querySelector("meta[name=server]"))?.content ?? null;

/**
 * The answer of the server. Throws Refused with the reason.
 * @param {string} path
 * @param {any} [content] sent as JSON by POST; without it the request is a GET
 * @returns {Promise<any>}
 */
export async function request(path, content) {
  const headers = { "Content-Type": "application/json" };
  const options = content === undefined ? {} : { method: "POST", headers, body: JSON.stringify(content) };
  let answer;
  try {
    answer = await fetch(new URL(server + path, document.baseURI), { cache: "no-store", ...options });
  } catch {
    throw new Refused("the server cannot be reached");
  }
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(body.error ?? `the server answers ${answer.status}`);
  return body;
}
