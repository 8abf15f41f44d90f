import { describe, expect, test } from "vitest";
import { resolveLimits } from "../../../../src/ground/limits/limits.js";
import { parseSingleQuery } from "../../../../src/language/query/grammar/single.js";
import { querySettings } from "../../../../src/language/query/settings.js";
import { problemFrom } from "../language.js";

describe("a single row's query", () => {
  const single = (query: string) => {
    const faults: Parameters<typeof parseSingleQuery>[2] = [];
    const input = parseSingleQuery(query, querySettings(resolveLimits({ parameters: 3 }), { ignores: (name) => name === "utm" }), faults);
    return { input, faults };
  };

  test("chooses fields and relations", () => {
    expect(single("fields=a&include=b&expand=c").input).toMatchObject({ fields: { text: "a" }, include: [{ text: "b" }, { text: "c" }] });
    expect(single("fields[users]=a&exclude=b&exclude=c&").input).toMatchObject({ exclude: { text: "b,c" } });
    expect(single("fields[]=a&fields[]=b&include[]=c").input).toMatchObject({ fields: { text: "a,b" }, include: [{ text: "c" }] });
    expect(single("fields[x]=a&fields[x][]=b").input.types).toEqual(new Map([["x", { text: "a,b", place: { parameter: "fields[x]" } }]]));
    expect(single("utm=%zz")).toEqual({ input: { include: [], types: new Map() }, faults: [] });
  });

  test.each([
    ["page=1", "UNKNOWN_FIELD", undefined],
    ["field=id", "UNKNOWN_FIELD", 'did you mean "fields"'],
    ["select=id", "UNKNOWN_FIELD", 'did you mean "fields"'],
    ["limit=1", "UNKNOWN_FIELD", undefined],
  ])("%s is refused with %s", (query, code, hint) => {
    expect(single(query).faults).toEqual([expect.objectContaining({ code, ...(hint === undefined ? {} : { hint }) })]);
  });

  test("is limited and decoded like that of a list", () => {
    expect(problemFrom(() => single("a&b&c&d"))).toMatchObject({ code: "QUERY_TOO_COMPLEX", extensions: { maximum: 3 } });
    expect(problemFrom(() => single("fields=%zz"))).toMatchObject({ code: "MALFORMED_QUERY" });
  });
});
