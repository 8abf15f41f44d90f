import { describe, expect, test } from "vitest";
import { z } from "zod";
import { and, any, eq, has, holds, like, ne, not, oneOf, or } from "../ast.js";
import { admin, parse, problemFrom, refusal, search, someone, tableOf } from "../language.js";

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

describe("clients that encode every comma send lists after `[in]`, `[nin]` and `[all]`", () => {
  test.each([
    ["name[in]=a%2Cb", oneOf("name", "a", "b")],
    ["name__in=a%2Cb", oneOf("name", "a", "b")],
    ["name[nin]=a%2Cb", not(oneOf("name", "a", "b"))],
    ["tags[all]=a%2Cb", and(holds("tags", "a"), holds("tags", "b"))],
    ["tags[in]=a%2Cb", or(holds("tags", "a"), holds("tags", "b"))],
  ])("%s", (query, filter) => {
    expect(parse(query).filter).toEqual(filter);
  });

  test.each([
    ["name[in][]=a%2Cb", eq("name", "a,b")],
    ["tags[all][]=a%2Cb", holds("tags", "a,b")],
    ["name[in]=a%2Cb,c", oneOf("name", "a,b", "c")],
    ["name[in]=a%2Cb&name[in]=c", oneOf("name", "a,b", "c")],
    ["name=a%2Cb", eq("name", "a,b")],
    ["name!=a%2Cb", ne("name", "a,b")],
  ])("but a comma of a text is kept elsewhere: %s", (query, filter) => {
    expect(parse(query).filter).toEqual(filter);
  });
});

describe("lists of names come joined, repeated or in the form of an array", () => {
  const keys = (query: string) => parse(query).sort.map(({ path, dir }) => `${path.join(".")} ${dir}`);

  test.each(["sort=-total,name", "sort=-total&sort=name", "sort[]=-total&sort[]=name", "sort%5B%5D=-total&sort=name"])("%s", (query) => {
    expect(keys(query)).toEqual(["total desc", "name asc", "id asc"]);
  });

  test.each([
    ["fields[]=id&fields[]=name", { fields: { text: "id,name", place: { parameter: "fields" } } }],
    ["exclude[]=id&exclude=name", { exclude: { text: "id,name", place: { parameter: "exclude" } } }],
    ["include[]=a&include[]=b", { include: [{ text: "a,b", place: { parameter: "include" } }] }],
    ["fields[a]=id&fields[a]=name", { types: new Map([["a", { text: "id,name", place: { parameter: "fields[a]" } }]]) }],
    ["fields[a][]=id&fields[a][]=name", { types: new Map([["a", { text: "id,name", place: { parameter: "fields[a]" } }]]) }],
  ])("%s", (query, selection) => {
    expect(parse(query).selection).toMatchObject(selection);
  });

  test("has[]=name&has[]=quantity", () => {
    expect(parse("has[]=name&has[]=quantity").filter).toEqual(and(has("name"), has("quantity")));
  });

  test.each(["sort=name&sort=name", "sort[]=name&sort[]=-name"])("%s names a field twice", (query) => {
    expect(refusal(query).errors).toMatchObject([{ code: "REPEATED_PARAMETER", parameter: "sort" }]);
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
