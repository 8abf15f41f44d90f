import { describe, expect, test } from "vitest";
import { type Limits, resolveLimits } from "../../../src/ground/limits/limits.js";
import { parse, problemFrom, refusal, search, where } from "./language.js";

const many = (count: number, text: (index: number) => string, separator: string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(separator);
const nested = (depth: number): object => (depth === 1 ? { name: "a" } : { not: nested(depth - 1) });

interface Bound {
  readonly limit: keyof Limits;
  readonly what: string;
  /** Asks for that much. */
  readonly ask: (amount: number, limits?: Partial<Limits>) => unknown;
  readonly code?: string;
  readonly status?: number;
}

const string =
  (text: (amount: number) => string) =>
  (amount: number, limits: Partial<Limits> = {}) =>
    parse(text(amount), { limits });
const body =
  (filter: (amount: number) => unknown) =>
  (amount: number, limits: Partial<Limits> = {}) =>
    where(filter(amount), { limits });

const bounds: readonly Bound[] = [
  {
    limit: "targetBytes",
    what: "The query is longer than 8192 bytes.",
    ask: string((bytes) => `name=a${"&".repeat(bytes - 6)}`),
    code: "URI_TOO_LONG",
    status: 414,
  },
  { limit: "parameters", what: "Parameters: 101; allowed: 100.", ask: string((count) => many(count, () => "name=a", "&&")) },
  { limit: "conditions", what: "Conditions: 31; allowed: 30.", ask: string((count) => many(count, (index) => `${fields[index]}=1`, "&")) },
  {
    limit: "conditions",
    what: "Conditions: 31; allowed: 30.",
    ask: string((count) => `${many(count - presences.length, (index) => `${fields[index]}=1`, "&")}&has=${presences.join(",")}`),
  },
  { limit: "listValues", what: 'Values of "name": 101; allowed: 100.', ask: string((count) => `name=${many(count, String, ",")}`) },
  { limit: "listValues", what: 'Values of "name": 101; allowed: 100.', ask: body((count) => ({ name: Array.from({ length: count }, String) })) },
  { limit: "valueBytes", what: 'Bytes of a value of "name": 513; allowed: 512.', ask: string((bytes) => `name=a,${"x".repeat(bytes)}`) },
  { limit: "valueBytes", what: 'Bytes of a value of "name": 513; allowed: 512.', ask: body((bytes) => ({ name: { ne: "x".repeat(bytes) } })) },
  { limit: "sortKeys", what: 'Keys of "sort": 6; allowed: 5.', ask: string((count) => `sort=${sortable.slice(0, count).join(",")}`) },
  { limit: "sortKeys", what: 'Keys of "sort": 6; allowed: 5.', ask: (count, limits = {}) => search({ sort: sortable.slice(0, count) }, { limits }) },
  {
    limit: "patternLength",
    what: 'Characters of the pattern of "name": 257; allowed: 256.',
    ask: string((length) => `name[like]=${"x".repeat(length)}`),
  },
  {
    limit: "patternWildcards",
    what: 'Wildcards of the pattern of "name": 6; allowed: 5.',
    ask: string((count) => `name[like]=${"a*".repeat(count)}`),
  },
  {
    limit: "patternWildcards",
    what: 'Wildcards of the pattern of "name": 6; allowed: 5.',
    ask: body((count) => ({ name: { like: "%".repeat(count) } })),
  },
  {
    limit: "likes",
    what: 'Conditions with "like": 9; allowed: 8.',
    ask: body((count) => ({ or: Array.from({ length: count }, (_, index) => ({ name: { like: `a${index}` } })) })),
  },
  {
    limit: "likes",
    what: 'Conditions with "like": 9; allowed: 8.',
    ask: (count, limits = {}) => search({ filter: { not: { and: Array.from({ length: count }, () => ({ name: { like: "a" } })) } } }, { limits }),
  },
  {
    limit: "patternsLength",
    what: 'Characters of all "like" patterns: 513; allowed: 512.',
    ask: (length, limits = {}) =>
      where(
        { and: [{ name: { like: `*${"a".repeat(256)}*` } }, { name: { like: "b".repeat(length - 256) } }] },
        { limits: { patternLength: 300, ...limits } },
      ),
  },
  { limit: "searchLength", what: 'Characters of "q": 257; allowed: 256.', ask: string((length) => `q=${"x".repeat(length)}`) },
  { limit: "searchTerms", what: 'Terms of "q": 11; allowed: 10.', ask: string((count) => `q=${many(count, String, "+")}`) },
  { limit: "searchTerms", what: 'Terms of "q": 11; allowed: 10.', ask: (count, limits = {}) => search({ q: many(count, String, " ") }, { limits }) },
  { limit: "filterDepth", what: "Depth of the filter: 9; allowed: 8.", ask: body(nested) },
  {
    limit: "filterNodes",
    what: "Conditions of the filter: 101; allowed: 100.",
    ask: body((count) => ({ or: Array.from({ length: count - 1 }, () => ({})) })),
  },
];

/** Thirty-one different conditions. */
const fields = ["name", "total", "quantity", "big", "id", "active", "either"]
  .flatMap((name) => [name, `${name}!`, `${name}[in]`, `${name}[nin]`])
  .concat("minTotal", "maxTotal", "id[gt]");
const presences = ["name", "total", "tags", "address.city"];
const sortable = ["name", "total", "quantity", "day", "createdAt", "id"];

describe.each(bounds)("$limit: $what", ({ limit, what, ask, code = "QUERY_TOO_COMPLEX", status = 400 }) => {
  const maximum = Number(what.match(/(?:allowed: |than )(\d+)/)?.[1]);

  test("takes what is allowed and refuses one more", () => {
    expect(() => ask(maximum)).not.toThrow();
    const problem = problemFrom(() => ask(maximum + 1));
    expect([problem.code, problem.status, problem.message, problem.extensions["maximum"]]).toEqual([code, status, what, maximum]);
  });

  test("is the default of what can be set otherwise", () => {
    expect(resolveLimits()[limit]).toBe(maximum);
    expect(() => ask(maximum + 1, { [limit]: maximum + 1 })).not.toThrow();
    expect(problemFrom(() => ask(maximum, { [limit]: maximum - 1 }))).toMatchObject({ code, extensions: { maximum: maximum - 1 } });
  });
});

describe("bytes", () => {
  test("are counted, not characters", () => {
    expect(() => parse(`name=${"é".repeat(256)}`)).not.toThrow();
    expect(refusal(`name=${"é".repeat(257)}`).message).toBe('Bytes of a value of "name": 514; allowed: 512.');
    expect(refusal(`name=${"é".repeat(4_094)}`)).toMatchObject({ status: 414 });
  });
});

test("a list counts each of its values once", () => {
  expect(() => parse(`total=${"1,".repeat(500)}1`)).not.toThrow();
});

test("pages reach as far as the offset may go, and no further", () => {
  expect(parse("page=100&perPage=100").page).toBe(100);
  expect(refusal("page=101&perPage=100").errors).toEqual([
    { code: "OFFSET_TOO_LARGE", detail: "Page 101 of 100 is beyond the first 10000 rows.", parameter: "page", hint: "use cursor" },
  ]);
  expect(parse("page=10000&perPage=1").page).toBe(10_000);
  expect(refusal("page=10001&perPage=1").code).toBe("OFFSET_TOO_LARGE");
  expect(problemFrom(() => search({ page: 501 })).errors).toMatchObject([{ code: "OFFSET_TOO_LARGE", pointer: "/page" }]);
});

test("`perPage` beyond its maximum is the maximum where the settings say so", () => {
  const settings = { overflow: "clamp" } as const;
  expect(parse("perPage=101", { settings }).perPage).toBe(100);
  expect(search({ perPage: 1_000_000 }, { settings }).perPage).toBe(100);
  expect(refusal("perPage=0", { settings }).code).toBe("INVALID_VALUE");
});
