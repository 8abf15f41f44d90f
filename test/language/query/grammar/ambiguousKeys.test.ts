import { describe, expect, test } from "vitest";
import { z } from "zod";
import { and, any, eq, gte, has, holds, like, lt, ne, not, oneOf, or } from "../ast.js";
import { parse, problemFrom, refusal, search, tableOf } from "../language.js";
import { row } from "./row.js";

const instant = (text: string) => new Date(text);

row("`?status!=a`", [
  ["status!=open", ne("status", "open")],
  ["status%21=open", ne("status", "open")],
  ["status!=open,paid", not(oneOf("status", "open", "paid"))],
  ["status!=open&status!=paid", not(oneOf("status", "open", "paid"))],
  ["quantity!=*", eq("quantity", null)],
  ["quantity%21=*", eq("quantity", null)],
  ["address!=*", eq("address", null)],
]);

row("comma vs `%2C`", [
  ["name=Doe,John", oneOf("name", "Doe", "John")],
  ["name=Doe%2CJohn", eq("name", "Doe,John")],
  ["name=Doe%2C+John,Roe", oneOf("name", "Doe, John", "Roe")],
  ["tags=a%2Cb", holds("tags", "a,b")],
  ["either=a%2Cb", eq("either", "a,b")],
  ["status=open%2Cpaid", oneOf("status", "open", "paid")],
  ["total=1%2C2,3", oneOf("total", 1, 2, 3)],
  ["active=true%2Cfalse", oneOf("active", true, false)],
  ["day=2026-01-01%2C2026-01-02", oneOf("day", "2026-01-01", "2026-01-02")],
  ["counts=1%2C2", or(holds("counts", 1), holds("counts", 2))],
]);

row("comma in text otherwise", [
  ["name[]=Doe, John", eq("name", "Doe, John")],
  ["name[]=Doe, John&name[]=Roe", oneOf("name", "Doe, John", "Roe")],
  ["name[in][]=a,b&name[in][]=c", oneOf("name", "a,b", "c")],
  ["name![]=a,b", ne("name", "a,b")],
  ["tags[all][]=a,b&tags[all][]=c", and(holds("tags", "a,b"), holds("tags", "c"))],
]);

row(
  "`+`",
  [
    ["name=a+b", eq("name", "a b")],
    ["name=a%2Bb", eq("name", "a+b")],
    ["createdAt=2026-01-31T12:00:00+02:00", eq("createdAt", instant("2026-01-31T10:00:00Z"))],
    ["createdAt=2026-01-31T12:00:00%2B02:00", eq("createdAt", instant("2026-01-31T10:00:00Z"))],
    ["createdAt=2026-01-31T12:00:00-02:00", eq("createdAt", instant("2026-01-31T14:00:00Z"))],
    ["email=a%2Bb@example.com", eq("email", "a+b@example.com")],
  ],
  [["total=+5", "INVALID_VALUE"]],
);

test.each(["email=a+b@example.com", "key=0f6f4a0e+3a53-4c0b-9c43-3f5a2c8f1f0d", "createdAt=2026-01-31T12:00:00+0200"])(
  "`+` that was lost is hinted at: %s",
  (query) => {
    expect(refusal(query).errors).toMatchObject([{ code: "INVALID_VALUE", hint: "a plus sign in a query is written %2B" }]);
  },
);

row("`tags=a,b`, `tag=a&tag=b`, `tags[]=`", [
  ["tags=a,b", or(holds("tags", "a"), holds("tags", "b"))],
  ["tag=a&tag=b", or(holds("tags", "a"), holds("tags", "b"))],
  ["tags[]=a&tags[]=b", or(holds("tags", "a"), holds("tags", "b"))],
  ["tags=a&tag=b&tags[]=c&tags=a", or(holds("tags", "a"), holds("tags", "b"), holds("tags", "c"))],
  ["tags[all]=a,b", and(holds("tags", "a"), holds("tags", "b"))],
  ["tags!=a,b", not(or(holds("tags", "a"), holds("tags", "b")))],
  ["count=none", undefined],
]);

row(
  "repeated key",
  [
    ["name=a&name=b&name=a", oneOf("name", "a", "b")],
    ["name=a&name__eq=b", oneOf("name", "a", "b")],
    ["name[in]=a,b&name__in=b,c", oneOf("name", "a", "b", "c")],
    ["name!=a&name[ne]=b", not(oneOf("name", "a", "b"))],
    ["name[nin]=a&name__nin=b", not(oneOf("name", "a", "b"))],
    ["total=1&total=1", eq("total", 1)],
    ["tags[all]=a&tags[all]=b", and(holds("tags", "a"), holds("tags", "b"))],
    ["tags[all]=a&tags[all][]=b", and(holds("tags", "a"), holds("tags", "b"))],
  ],
  [
    ["total[gte]=1&total[gte]=1", "REPEATED_PARAMETER"],
    ["total[gte]=1&total__gte=2", "REPEATED_PARAMETER"],
    ["minTotal=1&total[gte]=2", "REPEATED_PARAMETER"],
    ["name[like]=a&name[like]=b", "REPEATED_PARAMETER"],
    ["name[exists]=true&name=*", "REPEATED_PARAMETER"],
    ["page=1&page=1", "REPEATED_PARAMETER"],
    ["q=a&q=b", "REPEATED_PARAMETER"],
  ],
);

row("`f=a&f[in]=b`", [
  ["name=a&name[in]=b", and(eq("name", "a"), eq("name", "b"))],
  ["total[gte]=1&total[lt]=5", and(gte("total", 1), lt("total", 5))],
  ["name=*&name!=a", and(has("name"), ne("name", "a"))],
]);

describe("bracket child vs operator", () => {
  const shape = z.object({ id: z.int(), price: z.object({ exists: z.boolean(), amount: z.number() }), size: z.number(), "size[lt]": z.string() });
  const table = tableOf({}, shape);

  test("the real path wins, the operator is reached by its suffix, and the developer is told", () => {
    expect(parse("price[exists]=true", { table }).filter).toEqual(eq("price.exists", true));
    expect(parse("price__exists=true", { table }).filter).toEqual(has("price"));
    expect(parse("size[lt]=5", { table }).filter).toEqual({ op: "eq", path: ["size[lt]"], value: "5" });
    expect(parse("size__lt=5", { table }).filter).toEqual(lt("size", 5));
    expect(table.warnings).toEqual(expect.arrayContaining([expect.stringContaining("price[exists]"), expect.stringContaining("size[lt]")]));
  });
});

describe("`address_city` vs real field", () => {
  const nested = z.object({ city: z.string() });
  const shape = z.object({ id: z.int(), address: nested, address_city: z.int(), a: z.object({ b_c: z.int() }), a_b: z.object({ c: z.string() }) });
  const table = tableOf({}, shape);

  test("the real field wins, and the developer is told", () => {
    expect(parse("address_city=5", { table }).filter).toEqual({ op: "eq", path: ["address_city"], value: 5 });
    expect(refusal("address_city[like]=x", { table }).code).toBe("OPERATOR_NOT_ALLOWED");
    expect(table.warnings).toContainEqual(expect.stringContaining('"address_city" is not an alias of "address.city"'));
  });

  test("a name that two paths would have means neither, and the developer is told", () => {
    expect(refusal("a_b_c=5", { table }).code).toBe("UNKNOWN_FIELD");
    expect(parse("a.b_c=5", { table }).filter).toEqual({ op: "eq", path: ["a", "b_c"], value: 5 });
    expect(table.warnings).toContainEqual(expect.stringContaining('"a_b_c" would mean "a.b_c" and "a_b.c"'));
  });

  test("a field that cannot be filtered by keeps its name all the same", () => {
    const narrowed = tableOf({ filter: ["id", "address", "tags"] }, z.object({ ...shape.shape, tags: z.array(z.string()), tag: z.string() }));
    expect(refusal("address_city=5", { table: narrowed }).errors).toMatchObject([{ code: "OPERATOR_NOT_ALLOWED", allowed: [] }]);
    expect(refusal("tag=5", { table: narrowed }).errors).toMatchObject([{ code: "OPERATOR_NOT_ALLOWED", allowed: [] }]);
  });
});

describe("`a__b__gte`", () => {
  const table = tableOf({}, z.object({ id: z.int(), a: z.number(), a__b: z.number(), c: z.number(), c__gte: z.string() }));

  test("is split at the last two underscores", () => {
    expect(parse("a__b__gte=5", { table }).filter).toEqual(gte("a__b", 5));
    expect(parse("a__gte=5", { table }).filter).toEqual(gte("a", 5));
    expect(refusal("a__c__gte=5", { table }).errors).toMatchObject([{ code: "UNKNOWN_FIELD", detail: expect.stringContaining('"a__c"') }]);
  });

  test("a declared name wins, and two underscores never mean nesting", () => {
    expect(parse("c__gte=5", { table }).filter).toEqual(eq("c__gte", "5"));
    expect(parse("c[gte]=5", { table }).filter).toEqual(gte("c", 5));
    expect(refusal("address__city=x").code).toBe("UNKNOWN_FIELD");
  });
});

describe("`fields[type]` vs `field[eq]`", () => {
  const shape = z.object({ id: z.int(), page: z.int(), fields: z.string(), q: z.object({ x: z.string() }) });

  test("a field that is called like a word of the language refuses to start, unless it has another name in queries", () => {
    expect(() => tableOf({}, shape)).toThrow(/the query language uses the word "page".*param/);
    expect(() => tableOf({ param: { page: "sheet", fields: "columns" } }, shape)).toThrow(/the word "q"/);
  });

  test("the bracket form reaches a renamed field, but `fields[…]` always chooses fields", () => {
    const table = tableOf({ param: { page: "sheet", fields: "columns", q: "question" } }, shape);
    expect(parse("sheet=3", { table }).filter).toEqual(eq("page", 3));
    expect(parse("page[eq]=3&page=2", { table })).toMatchObject({ page: 2, filter: eq("page", 3) });
    expect(parse("page__gte=3", { table }).filter).toEqual(gte("page", 3));
    expect(parse("columns=a", { table }).filter).toEqual(eq("fields", "a"));
    expect(parse("fields__like=a", { table }).filter).toEqual(like("fields", any, "a", any));
    expect(parse("q.x=a", { table }).filter).toEqual(eq("q.x", "a"));
    const { filter, selection } = parse("fields[eq]=a&fields[]=b", { table });
    expect([filter, [...selection.types.keys()], selection.fields?.text]).toEqual([undefined, ["eq"], "b"]);
  });
});

row(
  "dedicated",
  [
    ["minTotal=5", gte("total", 5)],
    ["maxTotal=5", { op: "lte", path: ["total"], value: 5 }],
    ["createdFrom=2026-01-31", gte("createdAt", instant("2026-01-31T00:00:00Z"))],
    ["createdTo=2026-01-31", lt("createdAt", instant("2026-02-01T00:00:00Z"))],
  ],
  [
    ["minQuantity=1", "UNKNOWN_FIELD"],
    ["minTotal=1,2", "SINGLE_VALUE_REQUIRED"],
    ["minTotal[gte]=1", "UNKNOWN_FIELD"],
    ["minTotal=*", "INVALID_VALUE"],
  ],
);

row(
  "`_method`, `X-HTTP-Method-Override`",
  [],
  [
    ["_method=DELETE", "UNKNOWN_FIELD"],
    ["confirm=true", "UNKNOWN_FIELD"],
    ["dryRun=true", "UNKNOWN_FIELD"],
  ],
);

row(
  "proto keys",
  [],
  [
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "__proto__[name]",
    "constructor.prototype",
    "name[__proto__]",
    "name[constructor]",
  ].map((key) => [`${key}=x`, key.startsWith("name[") ? "UNKNOWN_OPERATOR" : "UNKNOWN_FIELD"]),
);
test.each(["__proto__", "constructor", "prototype", "toString", "valueOf"])("proto keys: a field %s refuses to start, nested ones too", (name) => {
  expect(() => tableOf({}, z.object({ id: z.int(), [name]: z.string() }))).toThrow(`a field cannot be called "${name}"`);
  expect(() => tableOf({}, z.object({ id: z.int(), a: z.object({ [name]: z.string() }) }))).toThrow(`a field cannot be called "${name}"`);
});

describe("sort nulls/ties", () => {
  test("the id is the last key of every order, in the direction of the key before it", () => {
    expect(parse("sort=-total").sort.map(({ path, dir }) => [path, dir])).toEqual([
      [["total"], "desc"],
      [["id"], "desc"],
    ]);
  });

  test.each(["sort=name,name", "sort=name,-name", "sort=id,total,-id"])("%s names a field twice", (query) => {
    expect(refusal(query)).toMatchObject({ code: "REPEATED_PARAMETER", status: 400 });
  });
});

describe("both `q` and `search`; `page`+`cursor`", () => {
  test.each([
    ["q=a&search=b", "search"],
    ["q=&search=b", "search"],
    ["page=1&cursor=x", "cursor"],
  ])("%s conflict", (query, parameter) => {
    const { status, errors } = refusal(query);
    expect([status, errors.map((item) => [item.code, item.parameter])]).toEqual([400, [["CONFLICTING_PARAMETERS", parameter]]]);
  });

  test("in a body as well", () => {
    expect(problemFrom(() => search({ page: 1, cursor: "x" })).errors).toMatchObject([{ code: "CONFLICTING_PARAMETERS", pointer: "/cursor" }]);
  });
});
