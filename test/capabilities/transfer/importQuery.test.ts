import { describe, expect, test } from "vitest";
import { parseImportQuery } from "../../../src/capabilities/transfer/import/request/importQuery.js";
import { defaultLimits } from "../../../src/ground/limits/limits.js";
import type { Faults } from "../../../src/language/query/fault.js";
import { problemIn } from "./formats/files.js";

function read(query: string, namesCollection = true) {
  const faults: Faults = [];
  const ignores = (name: string) => name.startsWith("utm_");
  return { ...parseImportQuery(query, { format: "csv", namesCollection, limits: defaultLimits, ignores }, faults), faults };
}

const usual = {
  format: "csv",
  onError: "continue",
  maxErrors: 10_000,
  mode: "insert",
  key: undefined,
  dryRun: false,
  map: {},
  unknownColumns: "error",
  delimiter: ",",
  offset: 0,
  skipUnchanged: false,
  formulas: "literal",
};

describe("the query of an import", () => {
  test.each<[string, object]>([
    ["", {}],
    ["onError=continue&maxErrors=10000&mode=insert&dryRun=false&unknownColumns=error&delimiter=,&offset=0&skipUnchanged=false&formulas=literal", {}],
    ["onError=stop", { onError: "stop" }],
    ["maxErrors=0", { maxErrors: 0 }],
    ["mode=upsert&key=email", { mode: "upsert", key: "email" }],
    ["mode=update&key=id&skipUnchanged=true", { mode: "update", key: "id", skipUnchanged: true }],
    ["dryRun=true", { dryRun: true }],
    ["unknownColumns=ignore", { unknownColumns: "ignore" }],
    ["delimiter=%3B", { delimiter: ";" }],
    ["delimiter=tab", { delimiter: "\t" }],
    ["delimiter=%09", { delimiter: "\t" }],
    ["delimiter=|", { delimiter: "|" }],
    ["offset=9007199254740991", { offset: 9_007_199_254_740_991 }],
    ["formulas=escaped", { formulas: "escaped" }],
    ["map[E-Mail]=email&map%5BFull%20name%5D=name", { map: { "E-Mail": "email", "Full name": "name" } }],
    ["map[a]b]=x", { map: { "a]b": "x" } }],
    ["utm_source=x", {}],
  ])("%s is understood", (query, expected) => {
    const { settings, faults } = read(query);
    expect([settings, faults]).toEqual([{ ...usual, ...expected }, []]);
  });

  test("names the collection where the path does not", () => {
    expect(read("collection=users").collection).toBe("users");
    expect(read("collection=users", false).faults).toMatchObject([{ code: "UNKNOWN_FIELD", parameter: "collection" }]);
  });

  test("keeps names of JavaScript as what they are", () => {
    const { settings, faults } = read("map[__proto__]=name&map[constructor]=email");
    expect(faults).toEqual([]);
    expect(Object.entries(settings.map)).toEqual([
      ["__proto__", "name"],
      ["constructor", "email"],
    ]);
    expect(JSON.parse(JSON.stringify(settings)).map).toEqual(settings.map);
  });

  test.each([
    ["onError=abort", "INVALID_VALUE", "onError", `"onError" must be continue or stop; got "abort".`],
    ["maxErrors=-1", "INVALID_VALUE", "maxErrors", `"maxErrors" must be a whole number of at most 10000; got "-1".`],
    ["maxErrors=10001", "INVALID_VALUE", "maxErrors", `"maxErrors" must be a whole number of at most 10000; got "10001".`],
    ["maxErrors=1e2", "INVALID_VALUE", "maxErrors", `"maxErrors" must be a whole number of at most 10000; got "1e2".`],
    ["maxErrors=", "INVALID_VALUE", "maxErrors", `"maxErrors" must be a whole number of at most 10000; got "".`],
    ["mode=replace", "INVALID_VALUE", "mode", `"mode" must be insert or upsert or update; got "replace".`],
    ["mode=upsert", "INVALID_VALUE", "key", `"mode=upsert" needs "key" with the field by which existing rows are found.`],
    ["key=email", "CONFLICTING_PARAMETERS", "key", `"key" needs "mode=upsert" or "mode=update".`],
    ["dryRun=1", "INVALID_VALUE", "dryRun", `"dryRun" must be true or false; got "1".`],
    ["delimiter=a", "INVALID_VALUE", "delimiter", `"delimiter" must be one of , ; | tab; got "a".`],
    ["offset=9007199254740992", "INVALID_VALUE", "offset", `"offset" must be a whole number of at most 9007199254740991; got "9007199254740992".`],
    ["formulas=off", "INVALID_VALUE", "formulas", `"formulas" must be literal or escaped; got "off".`],
    ["onError=stop&onError=stop", "REPEATED_PARAMETER", "onError", `"onError" may be given once.`],
    ["map[a]=x&map[a]=y", "REPEATED_PARAMETER", "map[a]", `"map[a]" may be given once.`],
    ["onerror=stop", "UNKNOWN_FIELD", "onerror", `Unknown parameter "onerror". Did you mean "onError"?`],
    ["map[]=x", "UNKNOWN_FIELD", "map[]", `Unknown parameter "map[]". Did you mean "map[…]"?`],
    ["__proto__=x", "UNKNOWN_FIELD", "__proto__", `Unknown parameter "__proto__".`],
  ])("%s is %s at %s", (query, code, parameter, detail) => {
    expect(read(query).faults).toMatchObject([{ code, parameter, detail }]);
  });

  test("tells of everything that is wrong", () => {
    expect(read("mode=replace&offset=x&foo=1&delimiter=:").faults.map(({ parameter }) => parameter)).toEqual(["foo", "mode", "delimiter", "offset"]);
  });

  test.each([
    ["onError=%zz", "MALFORMED_QUERY"],
    [Array.from({ length: 101 }, (_, index) => `map[h${index}]=name`).join("&"), "QUERY_TOO_COMPLEX"],
  ])("is refused as a whole where it cannot be read", async (query, code) => {
    expect((await problemIn(async () => read(query)))?.code).toBe(code);
  });
});
