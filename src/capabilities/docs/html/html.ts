/** Markup that is safe to send: made by {@link html} alone, so that no text of a document can pass for it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What can be put into markup. Everything but {@link Html} is text. */
export type Content = Html | string | number | boolean | null | undefined | readonly Content[];

/**
 * Markup from a template: values are escaped, so that they are text also within attributes in double quotes.
 *
 * @example
 * html`<p title="${'"'}">${"<b>"}</p>`.text; // <p title="&quot;">&lt;b&gt;</p>
 */
export function html(literals: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = literals[0] ?? "";
  for (const [index, value] of values.entries()) text += markupOf(value) + (literals[index + 1] ?? "");
  return new Html(text);
}

function markupOf(value: Content): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(markupOf).join("");
  // `condition && html` has no markup if the condition does not hold.
  return value === undefined || value === null || typeof value === "boolean" ? "" : escapeText(String(value));
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/**
 * A text as markup. Control characters become U+FFFD, and characters that reverse the order of what follows (U+202E and its like) are named: a text must not make
 * what is beside it look different.
 */
export function escapeText(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities[character] ?? "")
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase()}]`)
    .replace(controls, "\uFFFD");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const controls = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFFFE\uFFFF]/g;
