import { quote } from "../../ground/problem/quote.js";

/** A JSON pointer: its text, and its steps with `~0` and `~1` decoded. The pointer to the whole document has no steps. */
export interface JsonPointer {
  readonly text: string;
  readonly tokens: readonly string[];
}

/**
 * Parses a JSON pointer. Returns the text of the fault if it is invalid, has more steps than `depth`, or names something that could change a prototype.
 *
 * @see RFC 6901 §3
 */
export function parsePointer(text: string, depth: number): JsonPointer | string {
  if (text === "") return { text, tokens: [] };
  if (!text.startsWith("/")) return `a pointer is empty or begins with "/"; got ${quote(text)}.`;
  // One step more than allowed is enough, so that very long pointers are not split completely.
  const parts = text.slice(1).split("/", depth + 1);
  if (parts.length > depth) return `a pointer has at most ${depth} steps, as deep as a document may be; ${quote(text)} has more.`;
  if (/~(?![01])/.test(text)) return `in a pointer "~" is written "~0" and "/" inside a name "~1"; got ${quote(text)}.`;
  if (text.includes("\0") || !text.isWellFormed()) return "a pointer must not contain NUL (U+0000) or half of a surrogate pair.";
  const tokens = parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const reserved = tokens.find((token, at) => token === "__proto__" || (token === "prototype" && tokens[at - 1] === "constructor"));
  if (reserved !== undefined) return `the step "${reserved}" could change the prototype of an object and is not allowed.`;
  return { text, tokens };
}

/** Whether the location of `inner` is inside the location of `outer`. */
export function isInside(inner: JsonPointer, outer: JsonPointer): boolean {
  return inner.tokens.length > outer.tokens.length && outer.tokens.every((token, at) => token === inner.tokens[at]);
}

/** The location of a pointer, for a message. */
export function quotePointer(text: string): string {
  return text === "" ? "the document" : quote(text);
}
