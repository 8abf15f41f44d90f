import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { and, eq } from "../ast.js";
import { parse, problemFrom, search } from "../language.js";

describe("a search in a body", () => {
  test("says what a query string says", () => {
    const body = {
      filter: { name: "a", quantity: 7 },
      q: "ann b",
      sort: "-total,name",
      page: 2,
      perPage: 5,
      count: "none",
      fields: "id",
      exclude: "total",
      include: "x",
    };
    const { selection, ...query } = search(body);
    const { selection: same, ...asked } = parse(
      "name=a&quantity=7&q=ann+b&sort=-total,name&page=2&perPage=5&count=none&fields=id&exclude=total&include=x",
    );
    expect(query).toEqual({ ...asked, filter: and(and(eq("name", "a"), eq("quantity", 7)), { op: "search", text: "ann b" }) });
    expect(selection).toEqual({
      fields: { text: "id", place: { pointer: "/fields" } },
      exclude: { text: "total", place: { pointer: "/exclude" } },
      include: [{ text: "x", place: { pointer: "/include" } }],
      types: new Map(),
    });
    expect(same.fields?.text).toBe("id");
  });

  test("may be empty", () => {
    expect(search({})).toEqual(parse(""));
    expect(search({ q: " " })).toEqual(parse("q=+"));
  });

  test("takes lists of names as texts or as arrays", () => {
    expect(search({ sort: ["-total", " name"] }).sort).toEqual(search({ sort: "-total, name" }).sort);
    expect(search({ fields: ["id", "name"], include: ["a", "b.c"], exclude: ["x"] }).selection).toMatchObject({
      fields: { text: "id,name" },
      include: [{ text: "a,b.c" }],
      exclude: { text: "x" },
    });
  });

  test("chooses fields by type in an object", () => {
    const { fields, types } = search({ fields: { things: "id", users: ["id", "name"] } }).selection;
    expect([fields, [...types]]).toEqual([
      undefined,
      [
        ["things", { text: "id", place: { pointer: "/fields/things" } }],
        ["users", { text: "id,name", place: { pointer: "/fields/users" } }],
      ],
    ]);
  });

  const refused: [body: unknown, code: string, pointer: string][] = [
    [undefined, "INVALID_VALUE", ""],
    [null, "INVALID_VALUE", ""],
    [[], "INVALID_VALUE", ""],
    ["{}", "INVALID_VALUE", ""],
    [{ collection: "things" }, "UNKNOWN_FIELD", "/collection"],
    [{ name: "a" }, "UNKNOWN_FIELD", "/name"],
    [{ search: "a" }, "UNKNOWN_FIELD", "/search"],
    [{ "a/b": 1 }, "UNKNOWN_FIELD", "/a~1b"],
    [JSON.parse('{"__proto__": 1}'), "UNKNOWN_FIELD", "/__proto__"],
    [{ filter: null }, "INVALID_VALUE", "/filter"],
    [{ q: 5 }, "INVALID_VALUE", "/q"],
    [{ q: "a\0" }, "INVALID_VALUE", "/q"],
    [{ q: "\udc00" }, "INVALID_VALUE", "/q"],
    [{ sort: 5 }, "INVALID_VALUE", "/sort"],
    [{ sort: [5] }, "INVALID_VALUE", "/sort"],
    [{ sort: "" }, "EMPTY_VALUE", "/sort"],
    [{ sort: [] }, "EMPTY_VALUE", "/sort"],
    [{ sort: ["name", ""] }, "EMPTY_VALUE", "/sort"],
    [{ sort: "nome" }, "UNKNOWN_FIELD", "/sort"],
    [{ sort: "tags" }, "SORT_NOT_ALLOWED", "/sort"],
    [{ sort: "name,-name" }, "REPEATED_PARAMETER", "/sort"],
    [{ page: 0 }, "INVALID_VALUE", "/page"],
    [{ page: 1.5 }, "INVALID_VALUE", "/page"],
    [{ page: null }, "INVALID_VALUE", "/page"],
    [{ page: { toString: 1, valueOf: 1 } }, "INVALID_VALUE", "/page"],
    [{ page: JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`) }, "INVALID_VALUE", "/page"],
    [{ perPage: 101 }, "INVALID_VALUE", "/perPage"],
    [{ perPage: "" }, "EMPTY_VALUE", "/perPage"],
    [{ cursor: 5 }, "INVALID_CURSOR", "/cursor"],
    [{ cursor: null }, "INVALID_CURSOR", "/cursor"],
    [{ cursor: "" }, "EMPTY_VALUE", "/cursor"],
    [{ count: true }, "INVALID_VALUE", "/count"],
    [{ count: { toString: 1 } }, "INVALID_VALUE", "/count"],
    [{ fields: 5 }, "INVALID_VALUE", "/fields"],
    [{ fields: { "a/b": 5 } }, "INVALID_VALUE", "/fields/a~1b"],
    [{ exclude: [null] }, "INVALID_VALUE", "/exclude"],
    [{ include: {} }, "INVALID_VALUE", "/include"],
  ];
  test.each(refused.map(([body, ...rest]) => [inspect(body), body, ...rest] as const))("%s is refused", (_name, body, code, pointer) => {
    expect(problemFrom(() => search(body)).errors).toMatchObject([{ code, pointer }]);
  });

  test.each([
    ["limit", "perPage"],
    ["pageSize", "perPage"],
    ["offset", "page"],
    ["orderBy", "sort"],
    ["select", "fields"],
  ])("hints at what this API calls %s: %s", (name, near) => {
    expect(problemFrom(() => search({ [name]: 5 })).errors).toMatchObject([{ hint: `did you mean "${near}"` }]);
  });

  test("hints at a member that was meant", () => {
    expect(problemFrom(() => search({ perpage: 5 })).errors).toEqual([
      {
        code: "UNKNOWN_FIELD",
        detail: 'A search has no member "perpage". Did you mean "perPage"?',
        pointer: "/perpage",
        allowed: ["filter", "sort", "fields", "exclude", "include", "q", "page", "perPage", "cursor", "count"],
        hint: 'did you mean "perPage"',
      },
    ]);
  });
});
