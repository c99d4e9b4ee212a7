/** The local storage of the page, and that of its tab; nothing is sent anywhere. @module */

/** What a browser without storage keeps until the page is left. @type {Map<string, string>} */
const unkept = new Map();

/** @param {string} name @param {boolean} [tab] of this tab alone @returns {any} the stored value, or null */
export function kept(name, tab = false) {
  try {
    return JSON.parse((tab ? sessionStorage : localStorage).getItem(name) ?? "null");
  } catch {
    return tab ? JSON.parse(unkept.get(name) ?? "null") : null;
  }
}

/** The names of all stored values that begin so. @param {string} prefix */
export function keptNames(prefix) {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}

/** @param {string} name @param {any} value JSON-compatible; null removes it @param {boolean} [tab] for this tab alone */
export function keep(name, value, tab = false) {
  const text = JSON.stringify(value);
  try {
    const storage = tab ? sessionStorage : localStorage;
    if (value === null) storage.removeItem(name);
    else storage.setItem(name, text);
  } catch {
    // A browser that keeps nothing: the page works, and forgets.
    if (tab) unkept.set(name, text);
  }
}
