/** A text of somebody else's as a terminal may be given it: without the control characters that would move its cursor or colour its lines. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}
