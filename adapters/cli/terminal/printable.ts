/**
 * Characters that change what a terminal shows: controls of C0 and C1, which move its cursor or set its colours, separators of lines and paragraphs, and those that change the
 * direction of a text, which could show a command as another one (Unicode Technical Report 36).
 */
const changing = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A text of others as one line. */
export function printable(text: string): string {
  return text.replaceAll(changing, " ").replaceAll(/ {2,}/g, " ");
}

/** A text with lines, as a terminal may show it. */
export function printableLines(text: string): string {
  return text.replaceAll(changing, (character) => (character === "\n" || character === "\t" ? character : " "));
}

/** A value as a line of JSON, which is printable too: the same value, with escapes for what changes a terminal. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(changing, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `${text}\n`;
}
