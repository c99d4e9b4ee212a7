// Runs before anything is painted: nobody sees a flash of the other theme.
{
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = () => {
    let chosen = null;
    try {
      chosen = localStorage.getItem("theme");
    } catch {
      // A browser that keeps nothing shows what the system prefers.
    }
    const theme = chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
    document.documentElement.dataset.theme = theme;
  };
  set();
  dark.addEventListener("change", set);
  addEventListener("theme", set);
}
