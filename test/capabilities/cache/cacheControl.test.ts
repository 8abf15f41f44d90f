import { property, assert as verify } from "fast-check";
import { ConfigurationError } from "restwright";
import { type CacheDirectives, cacheControl } from "restwright/cache";
import { describe, expect, test } from "vitest";
import { contradiction } from "../../../src/capabilities/cache/cacheControl.js";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { anyDirectives } from "./directives.js";

const written: readonly (readonly [CacheDirectives, string])[] = [
  [{ public: true }, "public"],
  [{ noStore: true }, "no-store"],
  [{ private: true, noCache: true }, "private, no-cache"],
  [{ noCache: true, mustRevalidate: true }, "no-cache, must-revalidate"],
  [{ maxAge: 0 }, "max-age=0"],
  [{ mustRevalidate: true, maxAge: 0, private: true }, "private, max-age=0, must-revalidate"],
  [{ staleWhileRevalidate: 30, sMaxAge: 300, maxAge: 60, public: true }, "public, max-age=60, s-maxage=300, stale-while-revalidate=30"],
  [{ immutable: true, maxAge: 31_536_000, public: true }, "public, max-age=31536000, immutable"],
  [{ sMaxAge: 0, staleWhileRevalidate: 1 }, "s-maxage=0, stale-while-revalidate=1"],
  [{ maxAge: 2_147_483_648 }, "max-age=2147483648"],
  [{ public: false, private: true, maxAge: undefined }, "private"],
];

const refused: readonly (readonly [object, RegExp])[] = [
  [{}, /there is no directive/],
  [{ public: false }, /there is no directive/],
  [{ public: true, private: true }, /"private" and "public" contradict/],
  [{ private: true, sMaxAge: 1 }, /"private" and "sMaxAge" contradict/],
  [{ noStore: true, maxAge: 0 }, /"noStore" and "maxAge" contradict/],
  [{ noStore: true, public: true }, /"noStore" and "public" contradict/],
  [{ noStore: true, mustRevalidate: true }, /"noStore" and "mustRevalidate" contradict/],
  [{ noCache: true, maxAge: 60 }, /"noCache" and "maxAge" contradict/],
  [{ noCache: true, immutable: true }, /"noCache" and "immutable" contradict/],
  [{ maxAge: 1, mustRevalidate: true, staleWhileRevalidate: 1 }, /"mustRevalidate" and "staleWhileRevalidate" contradict/],
  [{ staleWhileRevalidate: 1 }, /"staleWhileRevalidate" has no effect/],
  [{ immutable: true }, /"immutable" has no effect/],
  [{ immutable: true, maxAge: 0 }, /"immutable" has no effect/],
  [{ maxAge: -1 }, /"maxAge" must be a whole number/],
  [{ maxAge: 1.5 }, /"maxAge" must be a whole number/],
  [{ maxAge: 2_147_483_649 }, /"maxAge" must be a whole number/],
  [{ maxAge: Number.NaN }, /"maxAge" must be a whole number/],
  [{ sMaxAge: "60" }, /"sMaxAge" must be a whole number/],
  [{ public: 1 }, /"public" must be/],
  [{ maxage: 1 }, /did you mean "maxAge"/],
];

describe("cacheControl", () => {
  test.each(written)("writes %j as %s", (directives, text) => {
    expect(cacheControl(directives)).toBe(text);
  });

  test.each(refused)("refuses %j", (directives, message) => {
    expect(() => cacheControl(directives)).toThrow(ConfigurationError);
    expect(() => cacheControl(directives)).toThrow(message);
  });

  test("writes each directive that is given once, or refuses them together", () => {
    verify(
      property(anyDirectives, (directives) => {
        if (contradiction(directives) !== undefined) {
          expect(() => cacheControl(directives)).toThrow(ConfigurationError);
          return;
        }
        const texts = cacheControl(directives).split(", ");
        const given = Object.values(directives).filter((value) => value !== undefined && value !== false);
        expect(texts).toHaveLength(given.length);
        for (const text of texts) expect(text).toMatch(/^[a-z-]+(?:=\d+)?$/);
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});
