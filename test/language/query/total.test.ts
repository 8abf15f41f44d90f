// @slow

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { cpuMsSince } from "../../tools/cpuMs.js";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { queries, searches } from "./arbitraryQuery.js";
import { parse, schema, search } from "./language.js";

const names = [...Object.keys(schema.shape), "address.city", "address_city", "tag", "minTotal", "__proto__", "constructor"];

/** Either it is parsed, or it ends in a problem of the client's with at most twenty items, each with a place and a text. */
function ends(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(ProblemError);
    const { status, errors, message } = error as ProblemError;
    expect([400, 403, 414]).toContain(status);
    expect(message).toMatch(/^[\s\S]{1,400}[.?]$/u);
    expect(errors.length).toBeLessThanOrEqual(20);
    for (const item of errors) {
      expect(item.detail.length).toBeLessThan(600);
      expect(`${item.parameter ?? ""}${item.pointer ?? ""}`.length).toBeLessThanOrEqual(256);
    }
  }
}

describe("no query makes the parser throw anything but a problem of the client's", () => {
  test("whatever the text", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.string({ unit: fc.constantFrom(..."=&,%+[]!*._-\\\0é😀\ud8000129afn") })),
        (text) => ends(() => parse(text)),
      ),
      { numRuns: propertyRuns(3_000) },
    );
  });

  test("whatever is said in the language", () => {
    fc.assert(
      fc.property(queries(names), (text) => ends(() => parse(text))),
      { numRuns: propertyRuns(3_000) },
    );
  });

  test("whatever the body", () => {
    fc.assert(
      fc.property(
        fc.oneof(searches(names), fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withSparseArray: true })),
        (body) => ends(() => search(body)),
      ),
      { numRuns: propertyRuns(3_000) },
    );
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }), (filter) =>
        ends(() => search({ filter })),
      ),
      { numRuns: propertyRuns(2_000) },
    );
  });
});

const limits = {
  targetBytes: 10_000_000,
  parameters: 1_000_000,
  conditions: 1_000_000,
  listValues: 1_000_000,
  valueBytes: 1_000_000,
  sortKeys: 1_000_000,
  patternLength: 1_000_000,
  patternWildcards: 1_000_000,
  searchLength: 1_000_000,
  searchTerms: 1_000_000,
  filterNodes: 1_000_000,
  filterDepth: 1_000,
};
const repeated = (text: string) => (length: number) => text.repeat(Math.ceil(length / text.length));
const texts: Readonly<Record<string, (length: number) => string>> = {
  "empty parameters": repeated("&"),
  "unknown parameters": repeated("x=1&"),
  "unknown operators": repeated("total[x]=1&"),
  "the same parameter": repeated("name=1&"),
  "invalid values": repeated("total=x&"),
  "a long key": repeated("a"),
  "a long key of brackets": repeated("a[b]"),
  "a long key of underscores": (length) => `total${"__".repeat(length / 2)}=1`,
  "a long value": (length) => `name=${"a".repeat(length)}`,
  escapes: (length) => `name=${"%41".repeat(length / 3)}`,
  "broken escapes": (length) => `name=${"%41".repeat(length / 3)}%`,
  "a long list": (length) => `name=${"a,".repeat(length / 2)}a`,
  "a long list of different values": (length) => `name=${Array.from({ length: length / 5 }, (_, index) => index).join(",")}`,
  "a long list of broken values": (length) => `total=${"x,".repeat(length / 2)}x`,
  "a long number": (length) => `total=${"9".repeat(length)}`,
  "a long bigint": (length) => `big=${"9".repeat(length)}`,
  "a long e-mail address": (length) => `email=${"a.".repeat(length / 2)}@${"a-".repeat(length / 2)}`,
  "a long pattern": (length) => `name[like]=${"*a".repeat(length / 2)}`,
  "a long search": (length) => `q=${"a+".repeat(length / 2)}`,
  "a long sort": (length) => `sort=${"nome,".repeat(length / 5)}`,
  "a long has": (length) => `has=${"nome,".repeat(length / 5)}`,
  "fields of many types": (length) => Array.from({ length: length / 15 }, (_, index) => `fields[${index}]=a`).join("&"),
};

/** CPU time in milliseconds, of the fastest of some runs: others work on the machine as well. */
function cost(run: () => unknown): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const start = process.cpuUsage();
    ends(run);
    fastest = Math.min(fastest, cpuMsSince(start));
  }
  return fastest;
}

describe("time grows with the length of the query and no faster, though every limit is lifted", () => {
  test.each(Object.entries(texts))("%s", (_name, text) => {
    const [short, long] = [text(10_000), text(80_000)];
    cost(() => parse(short, { limits }));
    const [base, longer] = [cost(() => parse(short, { limits })), cost(() => parse(long, { limits }))];
    // Eight times as long: a square would be 64 times as much. A millisecond at least, as what is too large for the young generation of the heap costs V8 some of them.
    expect(longer).toBeLessThan(Math.max(base, 1) * 25);
  });

  test("of a body as well", () => {
    const wide = (length: number) => ({ filter: { or: Array.from({ length }, () => ({ name: { in: ["a", "b"] }, total: { gte: 1 } })) } });
    const [base, longer] = [cost(() => search(wide(1_000), { limits })), cost(() => search(wide(8_000), { limits }))];
    expect(longer).toBeLessThan(Math.max(base, 0.5) * 25);
  });
});
