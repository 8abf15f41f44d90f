import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePattern } from "../../../../src/language/query/values/like.js";
import { likeNaively } from "../../../adapters/stores/rows/naiveFilter.js";
import { any } from "../ast.js";

const limits = { patternLength: 40, patternWildcards: 5 };
const partsOf = (pattern: string) => {
  const parsed = parsePattern(pattern, limits);
  return "parts" in parsed ? parsed.parts : [];
};
const matches = (pattern: string, text: string) => likeNaively(partsOf(pattern), text);
const text = fc.string({ unit: fc.constantFrom("a", "b", "*", "%", "_", "\\", "?", "[", "😀", "\u0301"), maxLength: 8 });
const escaped = (literal: string) => literal.replace(/[\\*%]/g, "\\$&");

describe("a pattern", () => {
  test("without a wildcard is looked for anywhere", () => {
    fc.assert(
      fc.property(text, text, (literal, other) => {
        expect(matches(escaped(literal), other)).toBe(other.includes(literal));
      }),
      { seed: 1 },
    );
  });

  test("with one has to match the whole text", () => {
    fc.assert(
      fc.property(text, text, text, (start, end, other) => {
        const expected = other.length >= start.length + end.length && other.startsWith(start) && other.endsWith(end);
        expect(matches(`${escaped(start)}*${escaped(end)}`, other)).toBe(expected);
        expect(matches(`${escaped(start)}%${escaped(end)}`, start + other + end)).toBe(true);
      }),
      { seed: 2 },
    );
  });

  test("takes as many parts as it has wildcards and texts between them", () => {
    expect(partsOf("a*%b**")).toEqual(["a", any, "b", any]);
    expect(partsOf("*")).toEqual([any]);
    expect(partsOf("\\**")).toEqual(["*", any]);
    expect(partsOf("\\")).toEqual([any, "\\", any]);
    expect(partsOf("_?[a]")).toEqual([any, "_?[a]", any]);
  });

  test("is limited in its characters and in its wildcards", () => {
    expect(parsePattern("a".repeat(41), limits)).toEqual({ what: "Characters", got: 41, maximum: 40 });
    expect(parsePattern("*%*%*%", limits)).toEqual({ what: "Wildcards", got: 6, maximum: 5 });
    expect(parsePattern("\\*\\*\\*\\*\\*\\*", limits)).toEqual({ parts: [any, "******", any] });
  });
});
