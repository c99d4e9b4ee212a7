/** The local storage of the page; nothing is sent anywhere. @module */

/** @param {string} name @returns {any} the stored value, or null */
export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} name @param {any} value JSON-compatible; null removes it */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing: the page works, and forgets.
  }
}
