import { describe, expect, test } from "vitest";
import { z } from "zod";
import { and, any, eq, gt, gte, has, holds, like, lt, ne, not, oneOf, or } from "../ast.js";
import { parse, refusal, tableOf, where } from "../language.js";
import { row } from "./row.js";

const instant = (text: string) => new Date(text);

row(
  "`field=*`",
  [
    ["quantity=*", has("quantity")],
    ["tags=*", has("tags")],
    ["address=*", has("address")],
    ["extra=*", has("extra")],
    ["lines=*", has("lines")],
    ["name=%2A", eq("name", "*")],
    ["name[eq]=*", eq("name", "*")],
    ["name__eq=*", eq("name", "*")],
    ["name[]=*", eq("name", "*")],
    ["name[ne]=*", ne("name", "*")],
    ["name[in]=*", eq("name", "*")],
    ["tags[all]=*", holds("tags", "*")],
  ],
  [
    ["total[eq]=*", "INVALID_VALUE"],
    ["total=%2A", "INVALID_VALUE"],
    ["total[gte]=*", "INVALID_VALUE"],
  ],
);

test("`field=*` is not taken for a value where `exists` is not allowed", () => {
  const table = tableOf({ filter: { id: true, name: ["eq"] }, ranges: undefined });
  expect(refusal("name=*", { table }).errors).toMatchObject([
    { code: "OPERATOR_NOT_ALLOWED", allowed: ["eq"], detail: expect.stringContaining('"exists"') },
  ]);
});

row(
  "`has=a,b`",
  [
    ["has=name,quantity", and(has("name"), has("quantity"))],
    ["has=address.city&has=name", and(has("address.city"), has("name"))],
  ],
  [
    ["has=", "EMPTY_VALUE"],
    ["has=name,", "EMPTY_VALUE"],
    ["has=nome", "UNKNOWN_FIELD"],
  ],
);

row("nulls", [
  ["name=null", eq("name", "null")],
  ["quantity=1,2", oneOf("quantity", 1, 2)],
  ["quantity!=1", ne("quantity", 1)],
  ["quantity[nin]=1,2", not(oneOf("quantity", 1, 2))],
]);
test("nulls: no text stands for null in another type", () => {
  expect(refusal("quantity=null").code).toBe("INVALID_VALUE");
});

row(
  "empty value",
  [
    ["name=", eq("name", "")],
    ["name!=", ne("name", "")],
    ["name[in]=", eq("name", "")],
    ["email=", eq("email", "")],
    ["tags=", holds("tags", "")],
    ["either=", eq("either", "")],
    ["q=", undefined],
    ["search=", undefined],
    ["q=+%20", undefined],
  ],
  [
    ["quantity=", "EMPTY_VALUE"],
    ["status=", "EMPTY_VALUE"],
    ["active[exists]=", "EMPTY_VALUE"],
    ["total[gte]=", "EMPTY_VALUE"],
    ["counts=", "EMPTY_VALUE"],
    ["name[like]=", "EMPTY_VALUE"],
    ["name=a,", "EMPTY_VALUE"],
    ["name=,", "EMPTY_VALUE"],
    ["name=a,,b", "EMPTY_VALUE"],
    ["total=1,,2", "EMPTY_VALUE"],
    ["name=a&name=", "EMPTY_VALUE"],
    ["sort=", "EMPTY_VALUE"],
    ["page=", "EMPTY_VALUE"],
    ["cursor=", "EMPTY_VALUE"],
  ],
);

test("`in` in JSON body `[]` matches nothing", () => {
  expect(where({ name: [] })).toEqual(oneOf("name"));
  expect(where({ name: { in: [] } })).toEqual(oneOf("name"));
  expect(where({ name: { nin: [] } })).toEqual(not(oneOf("name")));
  expect(where({ tags: [] })).toEqual(or());
});

row(
  "like",
  [
    ["name[like]=ann", like("name", any, "ann", any)],
    ["name[like]=ann*", like("name", "ann", any)],
    ["name[like]=*ann", like("name", any, "ann")],
    ["name[like]=a%25b", like("name", "a", any, "b")],
    ["name[like]=a**b", like("name", "a", any, "b")],
    ["name[like]=a_b", like("name", any, "a_b", any)],
    ["name[like]=a\\*b", like("name", any, "a*b", any)],
    ["name[like]=a\\%25*", like("name", "a%", any)],
    ["name[like]=a\\\\b", like("name", any, "a\\b", any)],
    ["name[like]=a\\", like("name", any, "a\\", any)],
    ["name[like]=*", like("name", any)],
    ["name[like]=a%2Cb", like("name", any, "a,b", any)],
    ["email[like]=*@example", like("email", any, "@example")],
  ],
  [["name[like]=a,b", "SINGLE_VALUE_REQUIRED"]],
);

row("text equality", [
  ["name=Ann", eq("name", "Ann")],
  ["name=e%CC%81", eq("name", "e\u0301")],
  ["name=%C3%A9", eq("name", "\u00e9")],
]);

const [from, until] = [instant("2026-01-31T00:00:00Z"), instant("2026-02-01T00:00:00Z")];
row(
  "date-only on a date-time",
  [
    ["createdAt=2026-01-31", and(gte("createdAt", from), lt("createdAt", until))],
    ["createdAt!=2026-01-31", not(and(gte("createdAt", from), lt("createdAt", until)))],
    ["createdAt[gte]=2026-01-31", gte("createdAt", from)],
    ["createdAt[gt]=2026-01-31", gte("createdAt", until)],
    ["createdAt[lt]=2026-01-31", lt("createdAt", from)],
    ["createdAt[lte]=2026-01-31", lt("createdAt", until)],
    [
      "createdAt=2026-01-31,2026-03-01T10:00:00Z",
      or(eq("createdAt", instant("2026-03-01T10:00:00Z")), and(gte("createdAt", from), lt("createdAt", until))),
    ],
    ["address.opened[lte]=2026-01-31", lt("address.opened", until.toISOString())],
    ["address.opened[lte]=9999-12-31", lt("address.opened", "9999-12-31T24:00:00.000Z")],
    ["when=2026-01-31", and(gte("when", from.toISOString()), lt("when", until.toISOString()))],
    ["createdAt=2026-01-31T10:00Z", eq("createdAt", instant("2026-01-31T10:00:00Z"))],
    ["createdAt[gt]=2026-01-31T00:00:00Z", gt("createdAt", from)],
  ],
  [
    ["createdAt=2026-01-31T10:00:00", "INVALID_VALUE"],
    ["createdAt=2026-02-30", "INVALID_VALUE"],
    ["createdAt=2026-02-30T00:00:00Z", "INVALID_VALUE"],
    ["createdAt=yesterday", "INVALID_VALUE"],
    ["createdAt=1769817600000", "INVALID_VALUE"],
    ["seen=2026-01-31", "INVALID_VALUE"],
  ],
);

row(
  "numbers",
  [
    ["total=-1.5e-3", eq("total", -0.0015)],
    ["total=1E3", eq("total", 1_000)],
    ["total=0", eq("total", 0)],
    ["quantity=-7", eq("quantity", -7)],
    ["quantity=9007199254740991", eq("quantity", Number.MAX_SAFE_INTEGER)],
    ["big=9223372036854775807", eq("big", 2n ** 63n - 1n)],
    ["address.serial=9007199254740993", eq("address.serial", "9007199254740993")],
  ],
  ["NaN", "Infinity", "0x1", "01", "%201", "1%20", "1.", ".5", "%2B1", "1e", "1e400", "1_000", "--1", "-", "１"]
    .map((text): readonly [string, string] => [`total=${text}`, "INVALID_VALUE"])
    .concat([
      ["quantity=1.5", "INVALID_VALUE"],
      ["quantity=1e3", "INVALID_VALUE"],
      ["quantity=9007199254740992", "INVALID_VALUE"],
      ["big=1.0", "INVALID_VALUE"],
      ["big=9223372036854775808", "INVALID_VALUE"],
      ["level=4", "INVALID_VALUE"],
      ["level=1.0", "INVALID_VALUE"],
    ]),
);

row(
  "booleans",
  [
    ["active=true", eq("active", true)],
    ["active=1", eq("active", true)],
    ["active=false", eq("active", false)],
    ["active=0", eq("active", false)],
  ],
  ["maybe", "TRUE", "yes", "on", "2", "null"].map((text) => [`active=${text}`, "INVALID_VALUE"]),
);

row(
  "union types",
  [
    ["either=5", eq("either", 5)],
    ["either=true", eq("either", true)],
    ["either=x", eq("either", "x")],
    ["either=5,x", oneOf("either", 5, "x")],
    ["either[eq]=5,x", eq("either", "5,x")],
    ["when=5", eq("when", "5")],
  ],
  [["when=x", "INVALID_VALUE"]],
);

describe("refinements", () => {
  const table = tableOf({}, z.object({ id: z.int(), code: z.string().min(5).max(6).regex(/^A/), size: z.number().min(10), mail: z.email() }));

  test("of a record are none of a filter; its type and its format are", () => {
    expect(parse("code=x&size=1", { table }).filter).toEqual(and(eq("code", "x"), eq("size", 1)));
    expect(refusal("mail=x", { table }).message).toBe('"mail" must be of the format email; got "x".');
    expect(parse("mail[like]=x&mail[gte]=x", { table }).filter).toEqual(and(like("mail", any, "x", any), gte("mail", "x")));
  });
});

row(
  "bad percent/UTF-8/NUL",
  [],
  ["%", "%z", "%zz", "%C3", "%C3%28", "%C0%80", "%ED%A0%80", "%F5%80%80%80", "%FF", "%00", "\0", "\ud800", "a%2", "%u0041"].flatMap((text) => [
    [`name=${text}`, "MALFORMED_QUERY"],
    [`${text}=x`, "MALFORMED_QUERY"],
    [`sort=${text}`, "MALFORMED_QUERY"],
  ]),
);
