import fc from "fast-check";
import { pointer } from "../../../src/ground/http/pointer.js";

const names = ["a", "b", "", "a/b", "m~n", "0", "1", "-"];
const scalar = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom("", "ab", "a".repeat(20)), fc.boolean(), fc.constant(null));

/** Small JSON values that share few names, so that patches made for one often fit another. */
export const arbitraryJson: fc.Arbitrary<unknown> = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie("json"), { maxKeys: 4 }),
  ),
})).json;

/** Pointers to everything in a JSON value, itself first. */
export function pointersIn(value: unknown, path: readonly (string | number)[] = []): string[] {
  if (typeof value !== "object" || value === null) return [pointer(path)];
  return [pointer(path), ...Object.entries(value).flatMap(([name, member]) => pointersIn(member, [...path, name]))];
}

/** A document and a patch whose pointers come out of it, or go astray by a step. */
export const arbitraryPatch = fc
  .tuple(
    arbitraryJson,
    fc.array(
      fc.record({
        op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
        value: fc.option(arbitraryJson, { nil: undefined }),
        spots: fc.tuple(fc.nat(), fc.nat()),
        stray: fc.tuple(
          fc.constantFrom("", "", "", "/a", "/0", "/1", "/-", "/zz", "/01", "/length"),
          fc.constantFrom("", "", "", "", "", "", "/a", "/0", "/-"),
        ),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  )
  .map(([document, seeds]) => {
    const known = pointersIn(document);
    const at = (spot: number) => known[spot % known.length] ?? "";
    return {
      document,
      patch: seeds.map(({ op, value, spots: [here, there], stray: [end, otherEnd] }) => ({
        op,
        path: at(here) + end,
        ...(op === "move" || op === "copy" ? { from: at(there) + otherEnd } : {}),
        ...(op === "add" || op === "replace" || op === "test" ? { value: value === undefined ? valueAt(document, at(here)) : value } : {}),
      })),
    };
  });

/** What a pointer of {@link pointersIn} leads to: so that tests do not always fail. */
export function valueAt(document: unknown, text: string): unknown {
  const tokens = text.split("/").slice(1);
  return tokens.reduce<unknown>((value, token) => (value as Record<string, unknown>)[token.replaceAll("~1", "/").replaceAll("~0", "~")], document);
}
