import { button } from "./element.js";

const key = "restwright-docs-theme";

/** Before the page is shown, so that its colours do not change before the reader's eyes. */
export function applyTheme(): void {
  const chosen = stored();
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset["theme"] = chosen;
}

/** A button that switches between dark and light. */
export function themeButton(): HTMLButtonElement {
  const made = button(label(), () => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset["theme"] = next;
    made.textContent = label();
    store(next);
  });
  return made;
}

const label = () => (isDark() ? "Light colours" : "Dark colours");

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
}

/** Browsers may refuse storage to a page. */
function stored(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function store(theme: string): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // The choice lasts as long as the page.
  }
}
