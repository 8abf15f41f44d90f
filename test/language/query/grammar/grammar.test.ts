import { describe, expect, test } from "vitest";
import { and, any, eq, gt, gte, has, holds, like, lt, lte, ne, not, oneOf } from "../ast.js";
import { parse, refusal } from "../language.js";

/** Every spelling of an operator on a spelling of a field. */
function keysOf(path: string, operator: string): string[] {
  const keys = [`${path}[${operator}]`, `${path}__${operator}`, `${path}[${operator}][]`, `${path}__${operator}[]`];
  if (operator === "eq") keys.push(path, `${path}[]`);
  if (operator === "ne") keys.push(`${path}!`, `${path}![]`);
  return keys;
}

const onText = {
  eq: (key: string) => eq(key, "Rom"),
  ne: (key: string) => ne(key, "Rom"),
  in: (key: string) => eq(key, "Rom"),
  nin: (key: string) => ne(key, "Rom"),
  gt: (key: string) => gt(key, "Rom"),
  gte: (key: string) => gte(key, "Rom"),
  lt: (key: string) => lt(key, "Rom"),
  lte: (key: string) => lte(key, "Rom"),
  like: (key: string) => like(key, any, "Rom", any),
};
const onArrays = {
  eq: (key: string) => holds(key, "Rom"),
  ne: (key: string) => not(holds(key, "Rom")),
  in: (key: string) => holds(key, "Rom"),
  nin: (key: string) => not(holds(key, "Rom")),
  all: (key: string) => holds(key, "Rom"),
};

const spellings = {
  name: ["name"],
  "address.city": ["address.city", "address[city]", "address_city"],
  "address.geo.at.zone": ["address.geo.at.zone", "address[geo][at][zone]", "address_geo_at_zone"],
};

const cells = [
  ...Object.entries(spellings).flatMap(([field, paths]) =>
    Object.entries(onText).flatMap(([operator, filter]) =>
      paths.flatMap((path) => keysOf(path, operator).map((key) => ({ key, filter: filter(field) }))),
    ),
  ),
  ...Object.entries(onArrays).flatMap(([operator, filter]) =>
    ["tags", "tag"].flatMap((path) => keysOf(path, operator).map((key) => ({ key, filter: filter("tags") }))),
  ),
];

describe('filter = path [ "[" op "]" / "__" op / "!" ] [ "[]" ]', () => {
  test.each(cells)("$key=Rom", ({ key, filter }) => {
    expect(parse(`${key}=Rom`).filter).toEqual(filter);
    expect(parse(`${encodeURIComponent(key).replaceAll("!", "%21")}=%52om`).filter).toEqual(filter);
  });

  const presence = Object.entries(spellings).flatMap(([field, paths]) =>
    paths.flatMap((path) => [`${path}[exists]`, `${path}__exists`].map((key) => ({ key, field }))),
  );
  test.each(presence)("$key=true and false", ({ key, field }) => {
    expect(parse(`${key}=true`).filter).toEqual(has(field));
    expect(parse(`${key}=0`).filter).toEqual(eq(field, null));
  });

  test.each([
    "name[EQ]",
    "Name",
    "NAME__eq",
    "name[ eq]",
    "name [eq]",
    "name[[eq]]",
    "name[eq",
    "name.eq",
    "name_eq",
    "name___eq",
    "name!!",
    "name[][]",
    "[eq]",
    "name[eq]!",
  ])("%s is not a key", (key) => {
    expect(refusal(`${key}=x`).code).toMatch(/^UNKNOWN_(?:FIELD|OPERATOR)$/);
  });
});

describe('qs = [ param *( "&" param ) ]', () => {
  test.each([
    ["", undefined],
    ["&", undefined],
    ["&&name=x&&", eq("name", "x")],
    ["name=x&quantity=7", and(eq("name", "x"), eq("quantity", 7))],
    ["name=x;quantity=7", eq("name", "x;quantity=7")],
  ])("%j", (query, filter) => {
    expect(parse(query).filter).toEqual(filter);
  });
});

describe('param = rawkey [ "=" rawval ]', () => {
  test.each([
    ["name=a=b", eq("name", "a=b")],
    ["name==", eq("name", "=")],
    ["name", eq("name", "")],
    ["name=", eq("name", "")],
    ["name%3D=x", undefined],
  ])("%s", (query, filter) => {
    if (filter === undefined) expect(refusal(query).errors[0]?.parameter).toBe("name=");
    else expect(parse(query).filter).toEqual(filter);
  });

  test("a parameter without a name is an unknown one", () => {
    expect(refusal("=x").errors).toMatchObject([{ code: "UNKNOWN_FIELD", parameter: "" }]);
  });
});

describe("key = dec(rawkey)", () => {
  test.each(["n%61me=x", "%6E%61%6d%65=x"])("%s is decoded before it is looked up", (query) => {
    expect(parse(query).filter).toEqual(eq("name", "x"));
  });

  test("a plus in a key is a space", () => {
    expect(refusal("na+me=x").errors[0]?.parameter).toBe("na me");
  });
});

describe('value = "*" / item *( "," item )', () => {
  test.each([
    ["name=*", has("name")],
    ["name!=*", eq("name", null)],
    ["name=a,b", oneOf("name", "a", "b")],
    ["name=a%2Cb,c", oneOf("name", "a,b", "c")],
    ["name=a+b,c%20d", oneOf("name", "a b", "c d")],
    ["name=*,a", oneOf("name", "*", "a")],
    ["name=**", eq("name", "**")],
    ["name=%F0%9F%98%80", eq("name", "😀")],
    ["name=😀", eq("name", "😀")],
  ])("%s", (query, filter) => {
    expect(parse(query).filter).toEqual(filter);
  });
});

const keys = (query: string) => parse(query).sort.map(({ path, dir }) => `${path.join(".")} ${dir}`);

describe('sort = skey *( "," skey )', () => {
  test.each([
    ["", ["id asc"]],
    ["sort=name", ["name asc", "id asc"]],
    ["sort=-name", ["name desc", "id desc"]],
    ["sort=%2Bname", ["name asc", "id asc"]],
    ["sort=+name", ["name asc", "id asc"]],
    ["sort=-total, name", ["total desc", "name asc", "id asc"]],
    ["sort=name,-total", ["name asc", "total desc", "id desc"]],
    ["sort=-total%2Cname", ["total desc", "name asc", "id asc"]],
    ["sort=-id", ["id desc"]],
    ["sort=name,id,total", ["name asc", "id asc", "total asc"]],
    ["sort=-address.geo.lat", ["address.geo.lat desc", "id desc"]],
  ])("%j", (query, expected) => {
    expect(keys(query)).toEqual(expected);
  });

  test.each([
    ["sort=", "EMPTY_VALUE"],
    ["sort=+", "EMPTY_VALUE"],
    ["sort=-", "EMPTY_VALUE"],
    ["sort=name,", "EMPTY_VALUE"],
    ["sort=,name", "EMPTY_VALUE"],
    ["sort=--name", "UNKNOWN_FIELD"],
    ["sort=name:desc", "UNKNOWN_FIELD"],
    ["sort=name desc", "UNKNOWN_FIELD"],
    ["sort=address[city]", "UNKNOWN_FIELD"],
    ["sort=address_city", "UNKNOWN_FIELD"],
  ])("%s is refused with %s", (query, code) => {
    expect(refusal(query).code).toBe(code);
  });
});

describe('list = dotted-path *( "," dotted-path )', () => {
  test.each([
    ["has=name", has("name")],
    ["has=name,address.city", and(has("name"), has("address.city"))],
    ["has=name%2C+quantity", and(has("name"), has("quantity"))],
    ["has=name&has=quantity", and(has("name"), has("quantity"))],
    ["has=name,name", has("name")],
    ["has=address", has("address")],
    ["has=lines,extra", and(has("lines"), has("extra"))],
  ])("%s", (query, filter) => {
    expect(parse(query).filter).toEqual(filter);
  });

  test("include, expand and exclude may be given in parts; what they say is for the fields room", () => {
    const { selection } = parse("include=a&include=b&expand=c&exclude=d,e&fields=id,%20name&fields[things]=x&fields[users]=y");
    expect(selection).toEqual({
      fields: { text: "id, name", place: { parameter: "fields" } },
      exclude: { text: "d,e", place: { parameter: "exclude" } },
      include: [
        { text: "a,b", place: { parameter: "include" } },
        { text: "c", place: { parameter: "expand" } },
      ],
      types: new Map([
        ["things", { text: "x", place: { parameter: "fields[things]" } }],
        ["users", { text: "y", place: { parameter: "fields[users]" } }],
      ]),
    });
  });
});

describe("page = 1*9DIGIT, perPage = 1..maxPerPage, count = exact / estimated / none", () => {
  test.each([
    ["", { page: 1, perPage: 20, cursor: undefined, count: "estimated" }],
    ["page=3&perPage=100", { page: 3, perPage: 100 }],
    ["page=003&perPage=07", { page: 3, perPage: 7 }],
    ["page=000000001", { page: 1 }],
    ["perPage=1&page=10000", { page: 10_000, perPage: 1 }],
    ["count=exact", { count: "exact" }],
    ["count=estimated", { count: "estimated" }],
    ["count=none", { count: "none" }],
    ["cursor=abc.def", { cursor: "abc.def" }],
  ])("%j", (query, page) => {
    expect(parse(query)).toMatchObject(page);
  });

  const places = ["page", "perPage"].flatMap((word) =>
    ["0", "abc", "1.5", "-1", "+1", "1e1", " 1", "1 ", "0x1", "1,2", "１", "1000000000"].map((text) => `${word}=${text}`),
  );
  test.each(places)("%s is refused", (query) => {
    const { code, errors } = refusal(query.replace("+", "%2B"));
    expect([code, errors[0]?.parameter]).toEqual(["INVALID_VALUE", query.split("=")[0]]);
  });

  test.each(["page", "perPage", "cursor", "count"])("%s= is refused as empty", (word) => {
    expect(refusal(`${word}=`).errors).toEqual([{ code: "EMPTY_VALUE", detail: `"${word}" has an empty value.`, parameter: word }]);
  });

  test.each(["count=all", "count=Exact", "count=true"])("%s is refused with what is allowed", (query) => {
    expect(refusal(query).errors).toMatchObject([{ code: "INVALID_VALUE", parameter: "count", allowed: ["exact", "estimated", "none"] }]);
  });
});
