import type { LikePart } from "../../../ground/storage/filter.js";

/** A pattern, or the limit that it exceeds. */
export type ParsedPattern = { readonly parts: readonly LikePart[] } | { readonly what: string; readonly got: number; readonly maximum: number };

const many: LikePart = { any: "many" };

/**
 * Reads a `like` pattern: `*` and `%` stand for any run of characters, `\` takes the next one literally. A pattern without a wildcard matches
 * anywhere in the text; with one it must match the whole text.
 *
 * @param limits the most characters and wildcards
 */
export function parsePattern(text: string, limits: { readonly patternLength: number; readonly patternWildcards: number }): ParsedPattern {
  if (text.length > limits.patternLength) return { what: "Characters", got: text.length, maximum: limits.patternLength };
  const parts: LikePart[] = [];
  let literal = "";
  let wildcards = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "*" || character === "%") {
      if (literal !== "") parts.push(literal);
      literal = "";
      wildcards += 1;
      // Two wildcards in a row mean the same as one.
      if (parts.at(-1) !== many) parts.push(many);
    } else if (character === "\\" && at + 1 < text.length) {
      at += 1;
      literal += text.charAt(at);
    } else {
      literal += character;
    }
  }
  if (wildcards > limits.patternWildcards) return { what: "Wildcards", got: wildcards, maximum: limits.patternWildcards };
  if (wildcards === 0) return { parts: [many, literal, many] };
  return { parts: literal === "" ? parts : [...parts, literal] };
}
