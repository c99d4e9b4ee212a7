/** Whether a widget stands on a light or a dark ground. @module */

/** The colour behind an element; null where nothing is painted. @param {Element | null} element @returns {number[] | null} red, green, blue in 0..255 */
function ground(element) {
  for (let one = element; one; one = one.parentElement ?? /** @type {any} */ (one.getRootNode()).host ?? null) {
    const parts = getComputedStyle(one).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [];
    if (parts.length >= 3 && (parts[3] ?? 1) > 0.5) return parts.slice(0, 3);
  }
  return null;
}

/** @param {HTMLElement} host @returns {"light" | "dark"} */
function theme(host) {
  // JupyterLab says so before its new colours have come.
  const said = document.body.dataset.jpThemeLight;
  if (said !== undefined) return said === "true" ? "light" : "dark";
  const behind = ground(host.parentElement);
  if (!behind) return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const [red, green, blue] = behind;
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? "dark" : "light";
}

/** Set `data-theme` of a host by its background, now and on changes. @param {HTMLElement} host @returns {() => void} the cleanup */
export function followed(host) {
  const set = () => (host.dataset.theme = theme(host));
  const watch = new MutationObserver(set), dark = matchMedia("(prefers-color-scheme: dark)");
  for (const one of [document.documentElement, document.body]) watch.observe(one, { attributes: true });
  dark.addEventListener("change", set);
  set();
  return () => {
    watch.disconnect();
    dark.removeEventListener("change", set);
  };
}
