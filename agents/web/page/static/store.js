/** What the page remembers on this machine; nothing is sent anywhere. @module */

/** @param {string} name @returns {any} what was kept, null where nothing was */
export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} name @param {any} value what JSON can hold; null forgets */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing: the page works, and forgets.
  }
}
