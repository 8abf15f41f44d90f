// @slow

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../../src/ground/problem/index.js";
import { resolve } from "./resolvedReferences.js";

const steps = fc.constantFrom("data", "id", "a", "0", "1", "length", "__proto__", "constructor", "prototype", "toString", "valueOf");
const json = fc.jsonValue({ maxDepth: 3 });
const data = fc.oneof(
  json,
  fc.dictionary(
    fc.constantFrom("a", "0", "id", "__proto__", "constructor"),
    fc.oneof(json, fc.constantFrom(".", "..", "%2e", "a/b", "", "é", "batch", "\ud800"), fc.array(json)),
  ),
);

describe("any result", () => {
  test("puts only own values of it into a body", () => {
    let resolved = 0;
    fc.assert(
      fc.property(data, fc.array(steps, { maxLength: 4 }), (value, path) => {
        const text = ["op1", "data", ...path].join(".");
        try {
          const { body } = resolve({ body: [{ $result: text }] }, { op1: { status: 200, data: value } });
          expect(JSON.stringify(body)).toBe(JSON.stringify([path.reduce(ownValue, value)]));
          resolved += 1;
        } catch (error) {
          expect(error).toMatchObject({ code: "INVALID_BATCH" });
        }
      }),
      { numRuns: 3_000, seed: 7 },
    );
    expect(resolved).toBeGreaterThan(200);
  });

  test("makes a path of as many segments as the template, none of them empty or of dots", () => {
    let resolved = 0;
    const id = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom(".", "/", "\\", "%", "%2e", "%2F", "%25", "2e", "a", "?", "#"), { maxLength: 6 }).map((parts) => parts.join("")),
      json,
    );
    fc.assert(
      fc.property(fc.array(id, { minLength: 1, maxLength: 4 }), (ids) => {
        const results = Object.fromEntries(ids.map((each, at) => [`op${at}`, { status: 200, id: each }]));
        const url = ids.map((_, at) => `/users/{op${at}.id}`).join("");
        try {
          const { path } = resolve({ url }, results);
          resolved += 1;
          expect(path).toMatch(/^(\/[^/?#\s]+)+$/);
          expect(path.split("/")).toHaveLength(url.split("/").length);
          expect(new URL(`http://host${path}`).pathname).toBe(path);
          for (const segment of path.split("/")) expect(decodeURIComponent(segment).split(/[/\\]/)).not.toContain("..");
          ids.forEach((each, at) => {
            expect(decodeURIComponent(path.split("/")[at * 2 + 2] ?? "")).toBe(String(each));
          });
        } catch (error) {
          if (!(error instanceof ProblemError)) throw error;
          expect(error.code).toBe("INVALID_BATCH");
        }
      }),
      { numRuns: 3_000, seed: 7 },
    );
    expect(resolved).toBeGreaterThan(200);
  });
});

function ownValue(value: unknown, step: string): unknown {
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value ?? {});
  return entries.find(([name]) => String(name) === step)?.[1];
}
