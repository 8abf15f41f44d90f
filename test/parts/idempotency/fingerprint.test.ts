import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../src/ground/http/json/canonicalJson.js";
import { fingerprintOf, recordId } from "../../../src/parts/idempotency/fingerprint.js";
import { problemFrom } from "../../ground/http/problemFrom.js";

/** The same value with the members of every object in the opposite order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reordered(member)]),
  );
}

const nested = (depth: number) => Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 1);

describe("canonicalJson", () => {
  it("does not see the order of members", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reordered(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it("is JSON of the same value, so that two values never share a text", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  it.each<[string, unknown, unknown]>([
    ["a number and its text", 1, "1"],
    ["null and nothing", [null], [undefined]],
    ["null and an infinite number", null, Number.POSITIVE_INFINITY],
    ["both infinities", Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    ["zero and minus zero", 0, -0],
    ["a number and a big integer", 1, 1n],
    ["two instants", new Date(0), new Date(1)],
    ["an empty list and an empty object", [], {}],
    ["a list and an object of its indexes", ["a"], { 0: "a" }],
    ["members and elements that join to the same text", { a: '","b":"' }, { a: "", b: "" }],
  ])("tells %s apart", (_, left, right) => {
    expect(canonicalJson(left)).not.toBe(canonicalJson(right));
  });

  it("refuses what is nested so deep that it would exhaust the stack", () => {
    expect(canonicalJson(nested(512))).toBe(`${"[".repeat(512)}1${"]".repeat(512)}`);
    expect(problemFrom(() => canonicalJson(nested(100_000))).code).toBe("MALFORMED_JSON");
  });
});

describe("fingerprintOf", () => {
  const request = { method: "POST", target: "/charges?", mediaType: "application/json", handling: "", body: { json: { a: 1 } } };

  it("is 43 characters of base64url, the same for the same request", () => {
    expect(fingerprintOf(request)).toMatch(/^[\w-]{43}$/);
    expect(fingerprintOf(request)).toBe(fingerprintOf({ ...request, body: { json: { a: 1 } } }));
  });

  it.each([
    ["method", { method: "PUT" }],
    ["target", { target: "/charges?a" }],
    ["media type", { mediaType: "application/merge-patch+json" }],
    ["handling", { handling: "strict" }],
    ["body", { body: { json: { a: 2 } } }],
    ["presence of a body", { body: undefined }],
    ["border between method and target", { method: "POST/", target: "charges?" }],
  ])("sees another %s", (_, change) => {
    expect(fingerprintOf({ ...request, ...change })).not.toBe(fingerprintOf(request));
  });
});

describe("recordId", () => {
  it("never gives two callers or keys one record", () => {
    const part = fc.string({ maxLength: 6 });
    const caller = fc.tuple(fc.option(part, { nil: undefined }), part, part);
    fc.assert(
      fc.property(caller, caller, (left, right) => {
        expect(recordId(...left) === recordId(...right)).toBe(
          JSON.stringify([left[0] ?? null, left[1], left[2]]) === JSON.stringify([right[0] ?? null, right[1], right[2]]),
        );
      }),
    );
  });

  it.each<[Parameters<typeof recordId>, Parameters<typeof recordId>]>([
    [
      ["a", "b", "c"],
      ["ab", "", "c"],
    ],
    [
      [undefined, "a", "k"],
      ["", "a", "k"],
    ],
    [
      [undefined, "a", "bk"],
      [undefined, "ab", "k"],
    ],
    [
      ["null", "a", "k"],
      [undefined, "a", "k"],
    ],
  ])("tells %j and %j apart", (left, right) => {
    expect(recordId(...left)).not.toBe(recordId(...right));
  });

  it("holds neither the caller nor the key", () => {
    expect(recordId("tenant", "ada", "0123456789abcdef")).toMatch(/^[\w-]{43}$/);
  });
});
