import { array, property, assert as verify } from "fast-check";
import type { CacheDirectives } from "restwright/cache";
import { describe, expect, test } from "vitest";
import { contradiction } from "../../../src/capabilities/cache/cacheControl.js";
import { privately, strictest } from "../../../src/capabilities/cache/strictest.js";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { anyDirectives } from "./directives.js";

const one: CacheDirectives = { public: true, maxAge: 60, sMaxAge: 300, staleWhileRevalidate: 30 };

const cases: readonly (readonly [string, readonly CacheDirectives[], CacheDirectives])[] = [
  ["a rule alone", [one], one],
  [
    "the shorter times",
    [one, { public: true, maxAge: 30, sMaxAge: 600, staleWhileRevalidate: 5 }],
    { public: true, maxAge: 30, sMaxAge: 300, staleWhileRevalidate: 5 },
  ],
  ["maxAge of a rule without sMaxAge", [one, { public: true, maxAge: 10 }], { public: true, maxAge: 10, sMaxAge: 10 }],
  ["private", [one, { private: true, maxAge: 90 }], { private: true, maxAge: 60 }],
  ["noCache", [one, { noCache: true }], { noCache: true }],
  ["noStore", [one, { noStore: true }, { noCache: true }], { noStore: true }],
  ["mustRevalidate", [one, { public: true, maxAge: 90, mustRevalidate: true }], { public: true, maxAge: 60, sMaxAge: 90, mustRevalidate: true }],
  [
    "immutable if all are",
    [
      { maxAge: 9, immutable: true },
      { maxAge: 8, immutable: true },
    ],
    { maxAge: 8, immutable: true },
  ],
];

/** Without what says nothing. */
const said = (rule: CacheDirectives) => Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined && value !== false));

describe("the rule of an answer from several collections", () => {
  test.each(cases)("takes %s", (_, rules, expected) => {
    expect(said(strictest(rules))).toEqual(expected);
    expect(said(strictest(rules.toReversed()))).toEqual(expected);
  });

  test("never contradicts itself, and is never laxer than one of the rules", () => {
    const rule = anyDirectives.filter(
      (each) => contradiction(each) === undefined && (each.noStore || each.noCache || each.maxAge !== undefined) === true,
    );
    verify(
      property(array(rule, { minLength: 1, maxLength: 4 }), (rules) => {
        const all = strictest(rules);
        expect(contradiction(all)).toBeUndefined();
        expect(contradiction(privately(all))).toBeUndefined();
        for (const each of rules) {
          expect(freshSeconds(all, false)).toBeLessThanOrEqual(freshSeconds(each, false));
          expect(freshSeconds(all, true)).toBeLessThanOrEqual(freshSeconds(each, true));
          if (each.noStore) expect(all.noStore).toBe(true);
          if (each.private) expect(all.private || all.noStore).toBe(true);
          if (!each.public) expect(all.public).not.toBe(true);
        }
        expect(freshSeconds(privately(all), true)).toBe(-1);
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});

/** How long a cache may use an answer without waiting for the service; -1 if it may not store it. */
function freshSeconds(
  { noStore, noCache, private: isPrivate, maxAge = 0, sMaxAge, staleWhileRevalidate = 0 }: CacheDirectives,
  shared: boolean,
): number {
  if (noStore || (shared && isPrivate)) return -1;
  if (noCache) return 0;
  return (shared ? (sMaxAge ?? maxAge) : maxAge) + staleWhileRevalidate;
}
