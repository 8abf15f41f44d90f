import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { resolveLimits } from "../../src/limits/limits.js";
import { ProblemError } from "../../src/problem/index.js";
import { parseListQuery } from "../../src/query/parse.js";
import { compileQueryTable } from "../../src/query/table.js";
import { gateFor } from "../../src/schema/access.js";
import { introspectObject } from "../../src/schema/introspect.js";

const schema = z.object({
  id: z.int(),
  name: z.string(),
  status: z.enum(["open", "paid", "void"]),
  total: z.number(),
  quantity: z.int(),
  big: z.bigint(),
  active: z.boolean(),
  day: z.iso.date(),
  createdAt: z.date(),
  key: z.uuid(),
  tags: z.array(z.string()),
  seen: z.array(z.date()),
  either: z.union([z.int(), z.boolean(), z.string()]),
  address: z.object({ city: z.string(), opened: z.date() }),
  ssn: z.string(),
  secret: z.string(),
  plan: z.string(),
});

const access = {
  ssn: { read: ({ id }: { id: string }) => id === "admin", onForbidden: "403" as const },
  secret: { read: false },
};

const fields = [...introspectObject(schema).values()].map((field) => ({ ...field, access: access[field.name as keyof typeof access] }));
const table = compileQueryTable(fields, { collection: "things", id: "id", sort: ["id", "name", "total", "createdAt", "address", "ssn", "secret"] });
const limits = resolveLimits({ listValues: 5, conditions: 4, sortKeys: 2, parameters: 8, valueBytes: 40 });
const parse = (query: string, id = "someone", only?: readonly string[]) => parseListQuery(query, table, gateFor({ id }, only), limits);

function refusal(query: string, id?: string): ProblemError {
  try {
    parse(query, id);
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Error(`"${query}" was not refused.`);
}

describe("a filter", () => {
  const accepted: [string, unknown][] = [
    ["name=Ada", { op: "eq", path: ["name"], value: "Ada" }],
    ["name=Ada+Lovelace", { op: "eq", path: ["name"], value: "Ada Lovelace" }],
    ["name=Ada%20Lovelace", { op: "eq", path: ["name"], value: "Ada Lovelace" }],
    ["name=a,b", { op: "in", path: ["name"], values: ["a", "b"] }],
    ["name=a%2Cb", { op: "eq", path: ["name"], value: "a,b" }],
    ["name=a&name=b&name=a", { op: "in", path: ["name"], values: ["a", "b"] }],
    ["name=", { op: "eq", path: ["name"], value: "" }],
    ["name", { op: "eq", path: ["name"], value: "" }],
    ["name=a=b", { op: "eq", path: ["name"], value: "a=b" }],
    ["na%6De=x", { op: "eq", path: ["name"], value: "x" }],
    ["&&name=x&", { op: "eq", path: ["name"], value: "x" }],
    ["status=open%2Cpaid", { op: "in", path: ["status"], values: ["open", "paid"] }],
    ["total=1.5", { op: "eq", path: ["total"], value: 1.5 }],
    ["total=-1e3", { op: "eq", path: ["total"], value: -1000 }],
    ["quantity=7", { op: "eq", path: ["quantity"], value: 7 }],
    ["big=9007199254740993", { op: "eq", path: ["big"], value: 9007199254740993n }],
    ["active=1", { op: "eq", path: ["active"], value: true }],
    ["active=false", { op: "eq", path: ["active"], value: false }],
    ["day=2026-01-31", { op: "eq", path: ["day"], value: "2026-01-31" }],
    ["createdAt=2026-01-31T10:00:00Z", { op: "eq", path: ["createdAt"], value: new Date("2026-01-31T10:00:00Z") }],
    ["createdAt=2026-01-31T12:00:00+02:00", { op: "eq", path: ["createdAt"], value: new Date("2026-01-31T10:00:00Z") }],
    ["tags=a", { op: "contains", path: ["tags"], value: "a" }],
    [
      "tags=a,b",
      {
        op: "or",
        args: [
          { op: "contains", path: ["tags"], value: "a" },
          { op: "contains", path: ["tags"], value: "b" },
        ],
      },
    ],
    ["seen=2026-01-31T10:00:00Z", { op: "contains", path: ["seen"], value: "2026-01-31T10:00:00.000Z" }],
    ["either=5", { op: "eq", path: ["either"], value: 5 }],
    ["either=x", { op: "eq", path: ["either"], value: "x" }],
    ["address.city=Paris", { op: "eq", path: ["address", "city"], value: "Paris" }],
    ["address.opened=2026-01-31T12:00:00%2B02:00", { op: "eq", path: ["address", "opened"], value: "2026-01-31T10:00:00.000Z" }],
    [
      "createdAt=2026-01-31",
      {
        op: "and",
        args: [
          { op: "gte", path: ["createdAt"], value: new Date("2026-01-31T00:00:00Z") },
          { op: "lt", path: ["createdAt"], value: new Date("2026-02-01T00:00:00Z") },
        ],
      },
    ],
    [
      "status=open&quantity=7",
      {
        op: "and",
        args: [
          { op: "eq", path: ["status"], value: "open" },
          { op: "eq", path: ["quantity"], value: 7 },
        ],
      },
    ],
  ];

  test.each(accepted)("%s is typed", (query, filter) => {
    expect(parse(query).filter).toEqual(filter);
  });

  const refused: [string, status: number, code: string, detail: RegExp][] = [
    ["statos=open", 400, "UNKNOWN_FIELD", /Unknown field "statos".*Did you mean "status"\?/],
    ["__proto__=1", 400, "UNKNOWN_FIELD", /__proto__/],
    ["constructor=1", 400, "UNKNOWN_FIELD", /constructor/],
    ["status=lost", 400, "INVALID_VALUE", /one of open, paid, void; got "lost"/],
    ["total=abc", 400, "INVALID_VALUE", /"total" must be a number; got "abc"/],
    ["total=NaN", 400, "INVALID_VALUE", /a number/],
    ["total=0x1", 400, "INVALID_VALUE", /a number/],
    ["total=1e400", 400, "INVALID_VALUE", /a number/],
    ["quantity=1.5", 400, "INVALID_VALUE", /an integer/],
    ["quantity=01", 400, "INVALID_VALUE", /an integer/],
    ["quantity=9007199254740993", 400, "INVALID_VALUE", /an integer/],
    ["active=maybe", 400, "INVALID_VALUE", /true or false/],
    ["day=2026-02-30", 400, "INVALID_VALUE", /a date/],
    ["createdAt=yesterday", 400, "INVALID_VALUE", /a date/],
    ["seen=2026-01-31", 400, "INVALID_VALUE", /"seen" must be a date-time with Z or an offset/],
    ["key=1", 400, "INVALID_VALUE", /a UUID/],
    ["quantity=", 400, "EMPTY_VALUE", /"quantity" has an empty value/],
    ["name=a,,b", 400, "EMPTY_VALUE", /empty/],
    ["address=Paris", 400, "OPERATOR_NOT_ALLOWED", /"eq" is not allowed on "address"/],
    ["name=%zz", 400, "MALFORMED_QUERY", /%zz/],
    ["name=%C3", 400, "MALFORMED_QUERY", /UTF-8/],
    ["name=%00", 400, "MALFORMED_QUERY", /NUL/],
    ["name=1,2,3,4,5,6", 400, "QUERY_TOO_COMPLEX", /6 values; allowed: 5/],
    [`name=${"x".repeat(41)}`, 400, "QUERY_TOO_COMPLEX", /longer than 40 bytes/],
    ["name=1&status=open&total=1&quantity=1&active=1", 400, "QUERY_TOO_COMPLEX", /5 conditions; allowed: 4/],
    ["a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1", 400, "QUERY_TOO_COMPLEX", /9 parameters; allowed: 8/],
    ["ssn=1", 403, "FORBIDDEN_FIELD", /may not filter by "ssn"/],
    ["secret=1", 400, "UNKNOWN_FIELD", /Unknown field "secret"/],
  ];

  test.each(refused)("%s is refused", (query, status, code, detail) => {
    const problem = refusal(query);
    expect([problem.status, problem.code]).toEqual([status, code]);
    expect(problem.message).toMatch(detail);
  });

  test("lists every fault at once, and says 403 only where nothing else is wrong", () => {
    const problem = refusal("quantity=x&ssn=1&page=0");
    expect(problem.status).toBe(400);
    expect(problem.errors.map(({ code, parameter }) => [code, parameter])).toEqual([
      ["FORBIDDEN_FIELD", "ssn"],
      ["INVALID_VALUE", "quantity"],
      ["INVALID_VALUE", "page"],
    ]);
  });

  test("a hidden field answers as one that does not exist, and no hint names it", () => {
    expect(refusal("secret=1").message.replaceAll("secret", "X")).toBe(refusal("absent=1").message.replaceAll("absent", "X"));
    expect(refusal("secrets=1").message).not.toMatch(/Did you mean/);
    expect(refusal("sssn=1").message).not.toMatch(/ssn"\?/);
    expect(refusal("sssn=1", "admin").message).toMatch(/Did you mean "ssn"\?/);
  });
});

test("fields that the request was narrowed away from are forbidden, and never named", () => {
  const narrowed = (query: string) => {
    try {
      return parse(query, "admin", ["id", "name"]);
    } catch (error) {
      return error as ProblemError;
    }
  };
  expect(narrowed("name=a")).toMatchObject({ filter: { op: "eq" } });
  expect(narrowed("total=1")).toMatchObject({ status: 403, code: "FORBIDDEN_FIELD" });
  expect(narrowed("sort=-total")).toMatchObject({ status: 403, code: "FORBIDDEN_FIELD" });
  expect(narrowed("totl=1")).toMatchObject({ status: 400, message: 'Unknown field "totl" in "totl".' });
  expect(narrowed("sort=tags")).toMatchObject({ status: 403 });
});

describe("a sort", () => {
  test.each([
    ["", [["id", "asc"]]],
    [
      "sort=name",
      [
        ["name", "asc"],
        ["id", "asc"],
      ],
    ],
    [
      "sort=-total, name",
      [
        ["total", "desc"],
        ["name", "asc"],
        ["id", "asc"],
      ],
    ],
    [
      "sort=+name",
      [
        ["name", "asc"],
        ["id", "asc"],
      ],
    ],
    ["sort=-id", [["id", "desc"]]],
    [
      "sort=address.city",
      [
        ["address.city", "asc"],
        ["id", "asc"],
      ],
    ],
  ])("%s ends with the id", (query, keys) => {
    expect(parse(query).sort.map(({ path, dir }) => [path.join("."), dir])).toEqual(keys);
  });

  test.each([
    ["sort=", "EMPTY_VALUE"],
    ["sort=name,", "EMPTY_VALUE"],
    ["sort=nome", "UNKNOWN_FIELD"],
    ["sort=tags", "SORT_NOT_ALLOWED"],
    ["sort=status", "SORT_NOT_ALLOWED"],
    ["sort=name,-name", "REPEATED_PARAMETER"],
    ["sort=name&sort=id", "REPEATED_PARAMETER"],
    ["sort=name,total,createdAt", "QUERY_TOO_COMPLEX"],
    ["sort=ssn", "FORBIDDEN_FIELD"],
    ["sort=secret", "UNKNOWN_FIELD"],
  ])("%s is refused with %s", (query, code) => {
    expect(refusal(query).code).toBe(code);
  });
});

describe("a page", () => {
  test("is the first one of the default size unless said otherwise", () => {
    expect(parse("")).toMatchObject({ page: 1, perPage: 20 });
    expect(parse("page=3&perPage=100")).toMatchObject({ page: 3, perPage: 100 });
  });

  test.each([
    ["page=0", "INVALID_VALUE"],
    ["page=abc", "INVALID_VALUE"],
    ["page=1.5", "INVALID_VALUE"],
    ["page=-1", "INVALID_VALUE"],
    ["page=", "INVALID_VALUE"],
    ["perPage=0", "INVALID_VALUE"],
    ["perPage=101", "INVALID_VALUE"],
    ["page=101&perPage=100", "OFFSET_TOO_LARGE"],
    ["page=1&page=2", "REPEATED_PARAMETER"],
  ])("%s is refused with %s", (query, code) => {
    expect(refusal(query).code).toBe(code);
  });

  test("may reach the offset limit and no further", () => {
    expect(parse("page=100&perPage=100").page).toBe(100);
    expect(refusal("page=101&perPage=100").errors[0]?.parameter).toBe("page");
  });
});

test("a field that bears a word of the query language is refused at start-up", () => {
  for (const name of ["page", "sort", "fields", "q", "__proto__", "constructor"]) {
    const field = { ...introspectObject(z.object({ id: z.int() })).get("id"), name } as (typeof fields)[number];
    expect(() => compileQueryTable([field], { collection: "things", id: "id" })).toThrow(/cannot be called/);
  }
});

test("no query string makes the parser throw anything but a problem with a 4xx", () => {
  const piece = fc.constantFrom("name", "total", "page", "sort", "=", "&", ",", "%", "%2C", "+", "[", "]", "secret", "\u0000", "é", "*", "!");
  const query = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 }).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(query, (text) => {
      try {
        parse(text);
      } catch (error) {
        expect(error).toBeInstanceOf(ProblemError);
        expect((error as ProblemError).status).toBeLessThan(500);
      }
    }),
    { numRuns: 2_000 },
  );
});
