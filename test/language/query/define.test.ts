import { ConfigurationError, decodeQueryPart, defineQuery, operators } from "restwright/query";
import { Secrets } from "restwright/secrets";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { and, eq, gte, lt, oneOf } from "./ast.js";
import { problemFrom } from "./language.js";

const schema = z.object({
  id: z.int(),
  status: z.enum(["open", "paid"]),
  total: z.number(),
  createdAt: z.date(),
  note: z.string().nullable(),
  address: z.object({ city: z.string() }),
});
const orders = defineQuery(schema, { search: ["note", "address.city"], ranges: true });

describe("a query language", () => {
  test("parses query strings into plain data", () => {
    const query = orders.parse("status=open,paid&minTotal=5&sort=-total&page=2&fields=id");
    expect(query).toEqual({
      filter: and(oneOf("status", "open", "paid"), gte("total", 5)),
      sort: [
        { path: ["total"], dir: "desc" },
        { path: ["id"], dir: "desc" },
      ],
      page: 2,
      perPage: 20,
      cursor: undefined,
      count: "estimated",
      selection: { fields: { text: "id", place: { parameter: "fields" } }, include: [], types: new Map() },
    });
    expect(orders.parse("")).toMatchObject({ filter: undefined, sort: [{ path: ["id"], dir: "asc" }] });
  });

  test("reads searches of bodies", () => {
    const { filter, sort } = orders.search({ filter: { or: [{ status: "open" }, { note: null }] }, sort: ["-total"] });
    expect(filter).toEqual({ op: "or", args: [eq("status", "open"), eq("note", null)] });
    expect(sort[0]).toEqual({ path: ["total"], dir: "desc" });
  });

  test("reads filters and orders in code", () => {
    expect(orders.where({ status: ["open"], createdAt: { lt: new Date(5) }, address: { city: "Rom" } })).toEqual(
      and(eq("status", "open"), lt("createdAt", new Date(5)), eq("address.city", "Rom")),
    );
    expect(orders.where({})).toBeUndefined();
    expect(orders.orderBy("-total", "address.city")).toEqual([
      { path: ["total"], dir: "desc" },
      { path: ["address", "city"], dir: "asc" },
      { path: ["id"], dir: "asc" },
    ]);
    expect(orders.orderBy()).toEqual([{ path: ["id"], dir: "asc" }]);
  });

  test("refuses what is wrong by a problem", () => {
    expect(problemFrom(() => orders.parse("total=x"))).toMatchObject({ status: 400, code: "INVALID_VALUE" });
    expect(problemFrom(() => orders.search({ page: 0 }))).toMatchObject({ status: 400, errors: [{ pointer: "/page" }] });
    expect(problemFrom(() => orders.where({ "address.city": { gt: "\0" } }))).toMatchObject({ errors: [{ pointer: "/address.city/gt" }] });
    expect(problemFrom(() => orders.orderBy("total", "-total"))).toMatchObject({ code: "REPEATED_PARAMETER" });
    expect(problemFrom(() => orders.parse("x".repeat(8_193)))).toMatchObject({ status: 414, code: "URI_TOO_LONG", extensions: { maximum: 8_192 } });
  });

  test("has the options of lists", () => {
    const narrow = defineQuery(z.object({ key: z.string(), page: z.int(), at: z.date() }), {
      id: "key",
      filter: { page: ["eq"], at: true },
      sort: ["at"],
      param: { page: "sheet" },
      limits: { perPage: 5, maxPerPage: 10 },
      overflow: "clamp",
      ignoreParameters: ["utm_*", "_"],
      timeZone: "Europe/Berlin",
    });
    expect(narrow.parse("sheet=3&perPage=50&utm_x=1&_=2&sort=-at")).toMatchObject({
      filter: eq("page", 3),
      perPage: 10,
      sort: [{ path: ["at"] }, { path: ["key"] }],
    });
    expect(narrow.parse("at[gte]=2026-01-31").filter).toEqual(gte("at", new Date("2026-01-30T23:00:00Z")));
    expect(problemFrom(() => narrow.parse("key=x&sheet[gt]=1&sort=page")).errors.map(({ code }) => code)).toEqual([
      "OPERATOR_NOT_ALLOWED",
      "OPERATOR_NOT_ALLOWED",
      "SORT_NOT_ALLOWED",
    ]);
  });

  test.each<[name: string, define: () => unknown, message: RegExp]>([
    ["no id", () => defineQuery(z.object({ key: z.int() })), /there is no id field "id"/],
    ["an unknown limit", () => defineQuery(schema, { limits: { rows: 5 } as object }), /"limits" has no option "rows"/],
    ["an unknown zone", () => defineQuery(schema, { timeZone: "Mars" }), /Unknown time zone "Mars"/],
    ["a pattern that ignores everything", () => defineQuery(schema, { ignoreParameters: ["*"] }), /got "\*"/],
    ["a pattern with a star inside", () => defineQuery(schema, { ignoreParameters: ["a*b"] }), /got "a\*b"/],
    ["an empty pattern", () => defineQuery(schema, { ignoreParameters: [""] }), /got ""/],
    ["a reserved name", () => defineQuery(z.object({ id: z.int(), sort: z.int() })), /the query language uses the word "sort"/],
  ])("refuses to start with %s", (_name, define, message) => {
    expect(define).toThrow(ConfigurationError);
    expect(define).toThrow(message);
  });
});

describe("cursors of a query language", () => {
  const signer = new Secrets(["a secret of sixteen bytes or more"]).signer("orders");
  const query = orders.parse("status=open&sort=-total");

  test("are written beside a row and read back for the same list", () => {
    const cursors = orders.cursors(query, signer);
    const text = cursors.write({ direction: "after", values: [5, 7] });
    const cursor = orders.cursors(orders.parse(`perPage=5&sort=-total&status=open&cursor=${text}`), signer).read(text);
    expect(cursor).toEqual({ direction: "after", values: [5, 7] });
    expect(orders.cursors(orders.parse("sort=-total"), signer).read(text)).toBeUndefined();
    expect(cursor && cursors.place(cursor)).toEqual({
      op: "and",
      args: [
        { op: "lte", path: ["total"], value: 5 },
        { op: "or", args: [lt("total", 5), and(eq("total", 5), { op: "lt", path: ["id"], value: 7 })] },
      ],
    });
  });

  test("can be those of an order in code", () => {
    const cursors = orders.cursors({ filter: orders.where({ status: "open" }), sort: orders.orderBy("-total") }, signer);
    expect(orders.cursors(query, signer).read(cursors.write({ direction: "before", values: [1, 2] }))).toEqual({
      direction: "before",
      values: [1, 2],
    });
    expect(() => orders.cursors({ filter: undefined, sort: [{ path: ["nope"], dir: "asc" }] }, signer)).toThrow('Unknown field "nope" in "sort".');
  });
});

test("parts of a query are decoded strictly", () => {
  expect(decodeQueryPart("a+b%20%C3%A9")).toBe("a b é");
  expect(problemFrom(() => decodeQueryPart("%C3"))).toMatchObject({ code: "MALFORMED_QUERY", extensions: { position: 0 } });
});

test("the operators are listed", () => {
  expect(operators).toEqual(["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "like", "all", "exists"]);
});
