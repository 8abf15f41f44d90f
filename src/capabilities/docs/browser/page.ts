import { addCopyButtons } from "./copy.js";
import { credentialsButton } from "./credentials.js";
import { addFilter } from "./filter.js";
import { applyTheme, themeButton } from "./theme.js";
import { addTryIt } from "./tryIt.js";

applyTheme();
addEventListener("DOMContentLoaded", () => {
  const { dataset } = document.documentElement;
  const tools = document.querySelector<HTMLElement>(".tools");
  const filter = document.querySelector<HTMLElement>("[data-filter]");
  if (filter !== null) addFilter(filter);
  showAddress(dataset["root"] ?? "./");
  addCopyButtons();
  if (dataset["try"] !== undefined) {
    addTryIt();
    const schemes = JSON.parse(tools?.dataset["schemes"] ?? "[]");
    if (schemes.length > 0) tools?.append(credentialsButton(schemes, tools?.dataset["signing"]));
  }
  tools?.append(themeButton());
});

/** The server does not know the address by which it is reached. */
function showAddress(root: string): void {
  const address = new URL(root, location.href).href.replace(/\/$/, "");
  for (const place of document.querySelectorAll("[data-base]")) place.textContent = address;
}
