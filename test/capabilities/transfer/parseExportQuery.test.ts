import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ExportQuery, parseExportQuery } from "../../../src/capabilities/transfer/export/parseExportQuery.js";
import { defaultLimits } from "../../../src/ground/limits/limits.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import type { Faults } from "../../../src/language/query/fault.js";
import { decodeQueryPart } from "../../../src/language/query/grammar/decode.js";
import { type ListQuery, parseListQuery } from "../../../src/language/query/grammar/parse.js";
import { querySettings } from "../../../src/language/query/settings.js";
import { queries } from "../../language/query/arbitraryQuery.js";
import { someone, table } from "../../language/query/language.js";

const settings = querySettings(defaultLimits);

function read(query: string): ExportQuery & { readonly faults: Faults } {
  const faults: Faults = [];
  return { ...parseExportQuery(query, "csv", { table, gate: someone, settings, faults }), faults };
}

function readList(query: string): { readonly query: ListQuery; readonly faults: Faults } {
  const faults: Faults = [];
  return { query: parseListQuery(query, { table, gate: someone, settings, faults }), faults };
}

const usual = { format: "csv", delimiter: ",", formulas: "escape", byteOrderMark: false };

describe("the query of an export", () => {
  test.each([
    ["", {}],
    ["format=csv", {}],
    ["format=ndjson", { format: "ndjson" }],
    ["format=json", { format: "json" }],
    ["format=jsonl", { format: "ndjson" }],
    ["%66ormat=%6eson".replace("%6e", "j"), { format: "json" }],
    ["delimiter=,", {}],
    ["delimiter=;", { delimiter: ";" }],
    ["delimiter=%3B", { delimiter: ";" }],
    ["delimiter=tab", { delimiter: "\t" }],
    ["delimiter=%7C", { delimiter: "|" }],
    ["formulas=literal", { formulas: "literal" }],
    ["bom=true&delimiter=;", { byteOrderMark: true, delimiter: ";" }],
    ["bom=false", {}],
  ])("%s is understood, and leaves the rest to the list", (query, expected) => {
    const { options, faults, ...rest } = read(`name=a&${query}&sort=-name&fields=name`);
    expect([options, faults]).toEqual([{ ...usual, ...expected }, []]);
    expect(rest).toEqual({ query: readList("name=a&sort=-name&fields=name").query });
  });

  test.each([
    ["format=xml", "INVALID_VALUE", "format"],
    ["format=CSV", "INVALID_VALUE", "format"],
    ["format=", "EMPTY_VALUE", "format"],
    ["format", "EMPTY_VALUE", "format"],
    ["format=csv&format=csv", "REPEATED_PARAMETER", "format"],
    ["delimiter=%09", "INVALID_VALUE", "delimiter"],
    ["delimiter=a", "INVALID_VALUE", "delimiter"],
    ["formulas=off", "INVALID_VALUE", "formulas"],
    ["bom=1", "INVALID_VALUE", "bom"],
    ["format=json&bom=true", "CONFLICTING_PARAMETERS", "bom"],
    ["format=ndjson&delimiter=;", "CONFLICTING_PARAMETERS", "delimiter"],
    ["page=2", "UNKNOWN_FIELD", "page"],
    ["perPage=2", "UNKNOWN_FIELD", "perPage"],
    ["cursor=x", "UNKNOWN_FIELD", "cursor"],
    ["count=exact", "UNKNOWN_FIELD", "count"],
    ["include=owner", "UNKNOWN_FIELD", "include"],
    ["expand=owner", "UNKNOWN_FIELD", "expand"],
    ["nonsense=1", "UNKNOWN_FIELD", "nonsense"],
  ])("%s is %s at %s", (query, code, parameter) => {
    const { faults } = read(query);
    expect(faults).toMatchObject([{ code, parameter }]);
  });

  test("says what is allowed", () => {
    expect(read("delimiter=a&page=2&format=xml").faults.map(({ detail }) => detail)).toEqual([
      `"page" applies to lists only: an export contains all matching rows.`,
      `"format" must be one of csv ndjson json jsonl; got "xml".`,
      `"delimiter" must be one of , ; tab |; got "a".`,
    ]);
  });

  test("reads all but its own words as a list does", () => {
    const own = /^(?:page|perPage|cursor|count|include|expand|format|delimiter|formulas|bom)$/;
    fc.assert(
      fc.property(queries([...table.keys.keys()]), (query) => {
        // What cannot be decoded is refused even where a list would not look at it.
        fc.pre(query.split("&").every((part) => isDecodable(part) && !own.test(decodeQueryPart(part.split("=", 1)[0] ?? ""))));
        expect(outcome(() => read(query))).toEqual(outcome(() => readList(query)));
      }),
    );
  });
});

function isDecodable(part: string): boolean {
  try {
    decodeQueryPart(part);
    return true;
  } catch {
    return false;
  }
}

/** The parsed query, the faults, or the code of the problem. */
function outcome(run: () => { readonly query: ListQuery; readonly faults: Faults }): unknown {
  try {
    const { query, faults } = run();
    return faults.length > 0 ? faults.map(({ code }) => code) : query;
  } catch (error) {
    if (error instanceof ProblemError) return error.code;
    throw error;
  }
}
