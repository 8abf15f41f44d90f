import { element, field } from "./element.js";

/** One line of a list of operations. */
interface Entry {
  readonly item: HTMLElement;
  readonly group: HTMLElement | null;
  readonly text: string;
}

/** Filters the operations of a page while the reader types. */
export function addFilter(place: HTMLElement): void {
  const input = element("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  const status = element("p", { role: "status" });
  let entries: readonly Entry[] | undefined;
  input.addEventListener("input", () => {
    entries ??= readEntries();
    status.textContent = show(entries, input.value.toLowerCase().split(/\s+/).filter(Boolean));
  });
  const made = field("Filter operations", input);
  made.className = "";
  place.append(made, status);
}

function readEntries(): readonly Entry[] {
  return [...document.querySelectorAll<HTMLElement>(".entry")].map((item) => {
    const group = item.closest<HTMLElement>(".group");
    return { item, group, text: (item.textContent ?? "").replace(/\s+/g, " ").toLowerCase() };
  });
}

/** More matches are not shown at once: to lay them out takes longer than to type the next letter. */
const maxOpened = 60;

/** Groups without a match are hidden, those with one of few are opened. Returns what a screen reader announces. */
function show(entries: readonly Entry[], words: readonly string[]): string {
  const matching = new Map<HTMLElement | null, number>();
  let count = 0;
  for (const { item, group, text } of entries) {
    const matches = words.every((word) => text.includes(word));
    if (matches) count++;
    matching.set(group, (matching.get(group) ?? 0) + (matches ? 1 : 0));
    if (item.hidden === matches) item.hidden = !matches;
  }
  for (const [group, matches] of matching) {
    if (group === null) continue;
    group.hidden = matches === 0;
    if (group instanceof HTMLDetailsElement && words.length > 0 && matches > 0 && count <= maxOpened) group.open = true;
  }
  return words.length === 0 ? "" : `${count} ${count === 1 ? "operation" : "operations"}`;
}
