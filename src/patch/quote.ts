/** Longest text of a client that an answer repeats, in characters. */
const shownLength = 100;

/** What a JSON pointer names, for a message. */
export function quotePointer(text: string): string {
  return text === "" ? "the document" : quote(text);
}

/** A text in quotes, shortened where it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > shownLength ? `${text.slice(0, shownLength)}…` : text);
}
