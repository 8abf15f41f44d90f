import type { LikePart } from "../filter.js";
import { fold } from "../values/fold.js";

/** A run of literals and single wildcards between two `many` wildcards. */
type Segment = readonly (string | { readonly any: "one" })[];

/**
 * Compiles a pattern into a matcher of the whole text, once per query. It uses no regular expression and does not backtrack: each segment between `many`
 * wildcards matches as far left as possible, after the previous one, and the last segment matches the end.
 */
export function compileLike(parts: readonly LikePart[], folded: boolean): (text: string) => boolean {
  const segments = splitSegments(folded ? parts.map((part) => (typeof part === "string" ? fold(part) : part)) : parts);
  const match = (text: string) => matchSegments(segments, text);
  return folded ? (text) => match(fold(text)) : match;
}

function splitSegments(parts: readonly LikePart[]): readonly Segment[] {
  let segment: (string | { readonly any: "one" })[] = [];
  const segments = [segment];
  for (const part of parts) {
    if (typeof part === "string") {
      const before = segment.at(-1);
      // Adjacent literals are joined, so that one search finds them.
      if (typeof before === "string") segment[segment.length - 1] = before + part;
      else if (part !== "") segment.push(part);
    } else if (part.any === "one") segment.push({ any: "one" });
    else {
      segment = [];
      segments.push(segment);
    }
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
  const [only, second] = segment;
  if (only === undefined) return from;
  if (typeof only === "string" && second === undefined) {
    const start = text.indexOf(only, from);
    return start < 0 ? -1 : start + only.length;
  }
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

/** End of the segment if it matches at `start`, or -1. */
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

/** The position after the next code point, which has one or two UTF-16 units. */
function nextCharacter(text: string, position: number): number {
  return position + ((text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1);
}

function widthBefore(text: string, position: number): number {
  return position >= 2 && (text.codePointAt(position - 2) ?? 0) > 0xffff ? 2 : 1;
}
