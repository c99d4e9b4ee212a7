/** The server's agent, asked about places of a game that was played there and has ended. @module */
import { Connection } from "./connection.js";
import { knownTables } from "./known.js";
import { dealOf, linkOf, readLink } from "./share.js";

/**
 * Its estimate of a decision.
 * @typedef {object} Advice
 * @property {number} at
 * @property {string} agent
 * @property {[number, number][]} actions with their probabilities, the best first
 * @property {number[] | null} values win shares of all seats
 */

export class Analyst {
  /** @param {string} name of the agent @param {string} token of a seat at that table @param {number[]} actions of the game */
  constructor(name, token, actions) {
    this.name = name;
    this.token = token;
    this.actions = actions;
  }

  /** Whether the game came through a place of a line. @param {import("./line.js").Line} line @param {number} at */
  knows(line, at) {
    return at < this.actions.length && line.actions.slice(0, at).every((action, i) => action === this.actions[i]);
  }

  /** @param {number} at @param {AbortSignal} signal @returns {Promise<Advice>} */
  ask(at, signal) {
    return new Promise((resolve, reject) => {
      const failed = (/** @type {string} */ why) => {
        connection.close();
        reject(new Error(why));
      };
      const message = (/** @type {any} */ answer) => {
        if (answer.kind === "seated") connection.send({ kind: "hint", at });
        else if (answer.kind === "refused") failed(answer.why);
        else if (answer.kind === "hint") {
          connection.close();
          resolve(answer);
        }
      };
      const connection = new Connection(this.token, { message, broken: () => failed("the server cannot be reached"), ended: failed });
      signal.addEventListener("abort", () => connection.close());
      connection.begin();
    });
  }
}

/** @param {string} link */
const deal = (link) => dealOf(new URLSearchParams(link.split("?")[1]));

/** @param {import("./line.js").Line} line @returns {Analyst | null} */
export function analystOf(line) {
  const own = deal(linkOf(line, "replay"));
  const known = knownTables().find(({ over, mine, analysis }) => over && analysis && mine !== null && deal(over) === own);
  if (!known?.over || !known.analysis || known.mine === null) return null;
  const { actions } = readLink(new URLSearchParams(known.over.split("?")[1]));
  return new Analyst(known.analysis, known.tokens[known.mine], actions);
}
