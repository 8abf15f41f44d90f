import type { LikePart } from "../../src/storage/filter.js";
import { fold } from "../../src/storage/fold.js";

/** A run of literals and single wildcards between two `many` wildcards. */
type Segment = readonly (string | { readonly any: "one" })[];

/**
 * A matcher made once per query; the whole text has to match. No regular expression and no backtracking:
 * segments between `many` wildcards are placed leftmost, one after the other, the last one at the end.
 */
export function compileLike(parts: readonly LikePart[], folded: boolean): (text: string) => boolean {
  const segments = splitSegments(folded ? parts.map((part) => (typeof part === "string" ? fold(part) : part)) : parts);
  const match = (text: string) => matchSegments(segments, text);
  return folded ? (text) => match(fold(text)) : match;
}

function splitSegments(parts: readonly LikePart[]): readonly Segment[] {
  const segments: (string | { readonly any: "one" })[][] = [[]];
  for (const part of parts) {
    if (typeof part === "string") segments.at(-1)?.push(part);
    else if (part.any === "one") segments.at(-1)?.push({ any: "one" });
    else segments.push([]);
  }
  return segments;
}

function matchSegments(segments: readonly Segment[], text: string): boolean {
  const [first = [], ...others] = segments;
  let position = matchAt(first, text, 0);
  const last = others.pop();
  if (position < 0 || last === undefined) return position === text.length;
  for (const segment of others) {
    position = findSegment(segment, text, position);
    if (position < 0) return false;
  }
  return endsWithSegment(last, text, position);
}

/** End of the leftmost occurrence at or after `from`, or -1. */
function findSegment(segment: Segment, text: string, from: number): number {
  for (let start = from; start <= text.length; start = nextCharacter(text, start)) {
    const end = matchAt(segment, text, start);
    if (end >= 0) return end;
  }
  return -1;
}

function endsWithSegment(segment: Segment, text: string, from: number): boolean {
  let start = text.length;
  for (const part of segment.toReversed()) start -= typeof part === "string" ? part.length : widthBefore(text, start);
  return start >= from && matchAt(segment, text, start) === text.length;
}

/** Where the segment ends when it starts at `start`, or -1. */
function matchAt(segment: Segment, text: string, start: number): number {
  let position = start;
  for (const part of segment) {
    if (typeof part === "string") {
      if (!text.startsWith(part, position)) return -1;
      position += part.length;
    } else {
      if (position >= text.length) return -1;
      position = nextCharacter(text, position);
    }
  }
  return position;
}

/** A character is a code point: one or two UTF-16 units. */
function nextCharacter(text: string, position: number): number {
  return position + ((text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1);
}

function widthBefore(text: string, position: number): number {
  return position >= 2 && (text.codePointAt(position - 2) ?? 0) > 0xffff ? 2 : 1;
}
