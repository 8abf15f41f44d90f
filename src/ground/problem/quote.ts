/** Longest text of a client that a message repeats, in UTF-16 units. */
const maxQuotedLength = 64;

/** A text in quotes, shortened if it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > maxQuotedLength ? `${clip(text, maxQuotedLength)}…` : text);
}

/** A value for a message. The contents of objects are not shown: they may be secret, and a client can send one whose conversion fails. */
export function quoteValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/** The beginning of a text, without half of a surrogate pair at its end. */
export function clip(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxLength - 1 : maxLength);
}
