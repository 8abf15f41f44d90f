/** Replaces control characters in a text from a server, which could move the cursor of the terminal or change its colours. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}
