import { describe, expect, test } from "vitest";
import { z } from "zod";
import { and, any, eq, like, ne, not, oneOf, or } from "./ast.js";
import { admin, parse, problemFrom, refusal, search, someone, tableOf } from "./language.js";

describe("`[eq]`, `__eq`, `[ne]`, `__ne` take one literal value on text", () => {
  test.each([
    ["name[eq]=a,b", eq("name", "a,b")],
    ["name__eq=a,b", eq("name", "a,b")],
    ["name[ne]=a,*", ne("name", "a,*")],
    ["name__ne=*", ne("name", "*")],
    ["address[city][eq]=a,b", eq("address.city", "a,b")],
    ["name[eq]=a%2Cb&name[eq]=c,d", oneOf("name", "a,b", "c,d")],
    ["name=a,b", oneOf("name", "a", "b")],
    ["name[in]=a,b", oneOf("name", "a", "b")],
  ])("%s", (query, filter) => {
    expect(parse(query).filter).toEqual(filter);
  });

  test.each([
    ["total[eq]=1,2", oneOf("total", 1, 2)],
    ["status__ne=open,paid", not(oneOf("status", "open", "paid"))],
  ])("but lists on other types: %s", (query, filter) => {
    expect(parse(query).filter).toEqual(filter);
  });
});

describe("`include` and `expand` are synonyms", () => {
  test("and stand side by side", () => {
    expect(parse("include=a&expand=b").selection.include.map(({ text }) => text)).toEqual(["a", "b"]);
  });
});

describe("operation parameters are control words of their own route only", () => {
  test.each(["format=csv", "collection=users", "confirm=true", "dryRun=true", "_method=PUT"])("%s is unknown to a list", (query) => {
    expect(refusal(query).errors).toMatchObject([{ code: "UNKNOWN_FIELD", parameter: query.split("=")[0] }]);
  });
});

describe("`q` and `search`", () => {
  test("look into the declared fields, each term into any of them", () => {
    expect(parse("q=Ann+Rom").filter).toEqual({ op: "search", text: "Ann Rom" });
    expect(parse("search=Ann&total=5").filter).toEqual(and(eq("total", 5), { op: "search", text: "Ann" }));
    expect(search({ q: "Ann" }).filter).toEqual({ op: "search", text: "Ann" });
  });

  test("look only into those that the principal may filter by", () => {
    const table = tableOf({ search: ["name", "plan", "address.city"] });
    expect(parse("q=Ann++ROM", { table, gate: admin }).filter).toEqual({ op: "search", text: "Ann  ROM" });
    const term = (text: string) => or(like("name", any, text, any), like("address.city", any, text, any));
    expect(parse("q=Ann++ROM", { table, gate: someone }).filter).toEqual(and(term("ann"), term("rom")));
  });

  test("are unknown where nothing can be searched, and then nobody is told of them", () => {
    for (const table of [tableOf({ search: [] }), tableOf({ search: ["plan"] })]) {
      expect(refusal("q=a", { table }).errors).toEqual([{ code: "UNKNOWN_FIELD", detail: 'Unknown field "q" in "q".', parameter: "q" }]);
      expect(refusal("serch=a", { table }).message).toBe('Unknown field "serch" in "serch".');
      expect(problemFrom(() => search({ q: "a" }, { table })).errors).toMatchObject([{ code: "UNKNOWN_FIELD", pointer: "/q" }]);
    }
    expect(refusal("serch=a").message).toBe('Unknown field "serch" in "serch". Did you mean "search"?');
  });
});

describe("paths", () => {
  test("reach four steps deep", () => {
    const deep = (depth: number): z.ZodType => (depth === 0 ? z.string() : z.object({ x: deep(depth - 1) }));
    const table = tableOf({}, z.object({ id: z.int(), a: deep(4) }));
    expect(parse("a.x.x.x[exists]=true", { table }).filter).toEqual({ op: "has", path: ["a", "x", "x", "x"] });
    expect(refusal("a.x.x.x.x=a", { table }).code).toBe("UNKNOWN_FIELD");
  });

  test("of two fields cannot be the same", () => {
    expect(() => tableOf({}, z.object({ id: z.int(), "a.b": z.int(), a: z.object({ b: z.int() }) }))).toThrow('"a.b" names two fields in a query');
    expect(() => tableOf({ param: { a: "b" } }, z.object({ id: z.int(), a: z.int(), b: z.int() }))).toThrow('"b" means two things in a query');
    expect(() => tableOf({ param: { a: "sort" } }, z.object({ id: z.int(), a: z.int() }))).toThrow('"sort" means two things in a query');
  });
});
