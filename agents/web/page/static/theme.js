// Runs before the first painting, so that the other theme does not flash.
{
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = () => {
    let chosen = null;
    try {
      chosen = localStorage.getItem("theme");
    } catch {
      // Without storage the system's theme is shown.
    }
    const theme = chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
    document.documentElement.dataset.theme = theme;
  };
  set();
  dark.addEventListener("change", set);
  addEventListener("theme", set);
  // Another page of this address changes it, such as one that has this page in a frame.
  addEventListener("storage", set);
}
