// @slow

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Limits, resolveLimits } from "../../../../src/ground/limits/limits.js";
import { ProblemError, problemDocument } from "../../../../src/ground/problem/index.js";
import { type FilterQuery, parseFilterQuery } from "../../../../src/language/query/conditions/filterQuery.js";
import type { Faults } from "../../../../src/language/query/fault.js";
import { refuseFaults } from "../../../../src/language/query/grammar/parse.js";
import type { FilterTree } from "../../../../src/language/query/grammar/tree.js";
import { querySettings } from "../../../../src/language/query/settings.js";
import { queries } from "../arbitraryQuery.js";
import { parse, problemFrom, someone, table } from "../language.js";

function read(query: string, limits?: Partial<Limits>): FilterQuery {
  const faults: Faults = [];
  const found = parseFilterQuery(query, { table, gate: someone, settings: querySettings(resolveLimits(limits)), faults });
  refuseFaults(faults);
  return found;
}

/** The filter, or the problem. */
function outcomeOf(run: () => FilterTree | undefined): { readonly filter?: FilterTree | undefined; readonly problem?: string } {
  try {
    return { filter: run() };
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.code };
    throw error;
  }
}

const codesOf = (query: string) => problemFrom(() => read(query)).errors.map(({ code }) => code);

describe("the query of a write by filter", () => {
  test.each([
    ["confirm=true", { confirm: true }],
    ["confirm=0", { confirm: 0 }],
    ["confirm=12", { confirm: 12 }],
    ["confirm=007", { confirm: 7 }],
    ["confirm=999999999999999", { confirm: 999_999_999_999_999 }],
    ["confirm=%31%32", { confirm: 12 }],
    ["%63onfirm=12", { confirm: 12 }],
    ["dryRun=true", { dryRun: true }],
    ["dryRun=false", {}],
    ["dryRun=true&confirm=3", { dryRun: true, confirm: 3 }],
    ["", {}],
    ["&&", {}],
  ])("%s is understood", (query, expected) => {
    const nothing = { filter: undefined, dryRun: false, confirm: undefined };
    expect(read(query)).toEqual({ ...nothing, ...expected });
    expect(read(`name=a&${query}`)).toEqual({ ...nothing, ...expected, filter: parse("name=a").filter });
  });

  test.each([
    "confirm",
    "confirm=",
    "confirm=yes",
    "confirm=True",
    "confirm=+1",
    "confirm=-1",
    "confirm=1.5",
    "confirm=1e3",
    "confirm=0x1",
    "confirm=1234567890123456",
    "confirm=٣",
  ])("%s is no confirmation", (query) => expect(codesOf(query)).toEqual(["INVALID_VALUE"]));

  test.each(["dryRun", "dryRun=", "dryRun=1", "dryRun=TRUE", "dryRun=yes"])("%s is no dry run", (query) =>
    expect(codesOf(query)).toEqual(["INVALID_VALUE"]),
  );

  test("the case of its words counts", () => {
    for (const query of ["dryrun=true", "Confirm=true", "confirm[]=true", "confirm[eq]=1"])
      expect(codesOf(`name=a&${query}`)).toEqual(["UNKNOWN_FIELD"]);
  });

  test.each(["confirm=1&confirm=1", "confirm=1&confirm=2", "confirm=true&%63onfirm=true", "dryRun=false&dryRun=false"])("%s is ambiguous", (query) =>
    expect(codesOf(query)).toEqual(["REPEATED_PARAMETER"]),
  );

  test.each([
    "page=1",
    "perPage=5",
    "limit=5",
    "sort=name",
    "cursor=abc",
    "after=x",
    "fields=id",
    "fields[things]=id",
    "exclude=id",
    "include=x",
    "expand=x",
    "view=full",
    "count=true",
  ])("%s belongs to lists, or to nothing", (query) => expect(codesOf(`name=a&${query}`)).toEqual(["UNKNOWN_FIELD"]));

  test("every fault is told at once", () => {
    const query = "nmae=a&confirm=x&sort=name&dryRun=2&total=abc";
    expect(codesOf(query).toSorted()).toEqual(["INVALID_VALUE", "INVALID_VALUE", "INVALID_VALUE", "UNKNOWN_FIELD", "UNKNOWN_FIELD"]);
    expect(
      problemFrom(() => read(query))
        .errors.map(({ parameter }) => parameter)
        .toSorted(),
    ).toEqual(["confirm", "dryRun", "nmae", "sort", "total"]);
  });

  test("long keys and values are cut in what is said of them", () => {
    const long = "x".repeat(500);
    for (const query of [`${long}=1`, `confirm=${long}`, `fields[${long}]=1`]) {
      expect(
        JSON.stringify(
          problemDocument(
            problemFrom(() => read(query)),
            "r",
          ),
        ).length,
      ).toBeLessThan(1_500);
    }
  });

  test("its own words count among its parameters", () => {
    expect(() => read("name=a&confirm=1", { parameters: 2 })).not.toThrow();
    expect(problemFrom(() => read("name=a&confirm=1&dryRun=true", { parameters: 2 }))).toMatchObject({
      code: "QUERY_TOO_COMPLEX",
      extensions: { maximum: 2 },
    });
  });
});

describe("the conditions of a write by filter", () => {
  test.each([
    "name=a",
    "name=a%26b%3Dc",
    "name=a+b",
    "total[gte]=5&total[lte]=9",
    "total__gt=5",
    "status!=open",
    "status[in]=open,paid",
    "tags[]=a&tags[]=b",
    "address.city=x",
    "address[city]=x",
    "minTotal=5&createdFrom=2026-01-01",
    "q=two+words",
    "has=email",
    "name[like]=a*",
    "email=",
    "%6eame=a",
  ])("%s are those of a list", (query) => {
    const expected = parse(query).filter;
    expect(expected).toBeDefined();
    expect(read(query).filter).toEqual(expected);
    expect(read(`confirm=true&${query}&dryRun=true`).filter).toEqual(expected);
  });

  test.each(["name=%zz", "%zz=a", "name=%00", "confirm=%ff", "a%ed%a0%80=1", "\ud800=1"])("%j cannot be decoded", (query) => {
    expect(problemFrom(() => read(query)).code).toBe("MALFORMED_QUERY");
  });

  test("a hidden field is an unknown one", () => {
    const said = (field: string) =>
      JSON.stringify(
        problemDocument(
          problemFrom(() => read(`name=a&${field}=x`)),
          "r",
        ),
      ).replaceAll(field, "?");
    expect(said("secret")).toBe(said("zzzzzz"));
    expect(said("plan")).toBe(said("zzzz"));
  });

  test("what is taken here means the same as in a list, and what a list refuses is refused", () => {
    const valid = fc
      .subarray(["name=a", "total[gte]=5", "total__lt=9", "status!=open", "tags[]=a", "address[city]=%C3%A9", "q=b+c", "has=email", "%6eame!=b"])
      .map((parts) => parts.join("&"));
    const nearly = queries(["name", "total", "status", "tags", "address.city", "q", "has", "sort", "page", "secret"]);
    const some = fc.oneof(
      valid,
      nearly,
      fc.tuple(valid, nearly).map((parts) => parts.join("&")),
    );
    let taken = 0;
    fc.assert(
      fc.property(some, (query) => {
        const listed = outcomeOf(() => parse(query).filter);
        const written = outcomeOf(() => read(query).filter);
        if (written.filter !== undefined) {
          taken += 1;
          expect(listed).toEqual(written);
        } else if (listed.problem !== undefined) expect(written.problem).toBeDefined();
      }),
      { seed: 5, numRuns: 1_000 },
    );
    expect(taken).toBeGreaterThan(200);
  });

  test("no text makes it throw anything but a problem", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string()), (text) => {
        for (const query of [text, `confirm=${text}`, `${text}=1&dryRun=true`]) {
          try {
            read(query);
          } catch (error) {
            expect(error).toBeInstanceOf(ProblemError);
          }
        }
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});
