// Which of the two looks is shown. It runs before the first paint, so that the page never flashes in the other one.
(() => {
  const KEY = "pal-theme";
  const ORDER = ["auto", "light", "dark"];
  let stored = "auto";
  try {
    stored = localStorage.getItem(KEY) || "auto";
  } catch {
    // Storage may be closed to pages; the system's choice holds then.
  }
  const root = document.documentElement;
  root.dataset.theme = ORDER.includes(stored) ? stored : "auto";

  window.palTheme = {
    current: () => root.dataset.theme,
    next() {
      const chosen = ORDER[(ORDER.indexOf(root.dataset.theme) + 1) % ORDER.length];
      root.dataset.theme = chosen;
      try {
        localStorage.setItem(KEY, chosen);
      } catch {
        // It holds for this visit.
      }
      return chosen;
    },
  };
})();
