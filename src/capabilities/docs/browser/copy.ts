import { button, element } from "./element.js";

/** Adds a button to each example that copies it. */
export function addCopyButtons(): void {
  for (const pre of document.querySelectorAll("main pre")) {
    const frame = element("div", { class: "copied" });
    const copy = button("Copy", () => void copyText(pre, copy));
    pre.replaceWith(frame);
    frame.append(pre, copy);
  }
}

/** Pages that came without TLS have no clipboard: there the text is selected. */
async function copyText(pre: Element, copy: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(pre.textContent ?? "");
    copy.textContent = "Copied";
  } catch {
    getSelection()?.selectAllChildren(pre);
    copy.textContent = "Selected";
  }
  copy.addEventListener("blur", () => copy.replaceChildren("Copy"), { once: true });
}
