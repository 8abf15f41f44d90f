import fc from "fast-check";
import { operators } from "../../../src/language/query/conditions/operator.js";

const operator = fc.constantFrom<string>(...operators, "EQ", "foo", "", "__proto__", "0");
const style = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("", "!", "[]", "![]", "s", "[", "]", "__", ".", ".x", "[x]", "_x", "%5Bgte%5D", "%21", "%zz", "+") },
  { weight: 2, arbitrary: operator.map((name) => `[${name}]`) },
  { weight: 2, arbitrary: operator.map((name) => `__${name}`) },
  { weight: 1, arbitrary: operator.map((name) => `[${name}][]`) },
);
const value = fc.oneof(
  fc.constantFrom(
    "",
    "*",
    "a",
    "1",
    "a,b",
    "1,2",
    "1%2C2",
    "true",
    "2026-01-31",
    "2026-01-31T10:00:00Z",
    "open",
    "null",
    "%zz",
    "%00",
    ",",
    "+",
    "a=b",
    "😀",
    "x".repeat(600),
  ),
  fc.string({ maxLength: 8 }),
);

/** Names as they are, and nearly so. */
const nearly = (names: readonly string[]) =>
  fc.tuple(fc.constantFrom(...names), fc.constantFrom("", "", "", "x", "-", "+", " "), fc.nat({ max: 30 })).map(([name, affix, cut]) => {
    const text = cut < 3 ? name.slice(0, name.length - 1 - cut) : cut === 3 ? name.toUpperCase() : name;
    return affix === "x" ? text + affix : affix + text;
  });

const lists = ["sort", "has", "fields", "exclude", "include", "expand", "fields[things]"];
const pages = ["page", "perPage", "cursor", "count", "q", "search", "_method", "utm_x", "perpage", "srt"];

/** Query strings that use the names in every way that the language has, and in some that it has not. */
export function queries(names: readonly string[]): fc.Arbitrary<string> {
  const name = nearly(names);
  const parameter = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(name, style, value).map(([field, how, text]) => `${field}${how}=${text}`) },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.constantFrom(...lists), fc.array(name, { maxLength: 3 })).map(([word, fields]) => `${word}=${fields.join(",")}`),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...pages), value).map(([word, text]) => `${word}=${text}`) },
    { weight: 1, arbitrary: fc.constantFrom("", "=", "&", "%", "[", "a".repeat(300)) },
  );
  return fc.array(parameter, { maxLength: 6 }).map((parameters) => parameters.join("&"));
}

const scalar = fc.constantFrom<unknown>(null, "", "a", "1", 1, 1.5, true, "2026-01-31", "open", "\0", [], ["a", null], [1, 2], {}, Number.MAX_VALUE);

/** Bodies of a search that use the names in every way. */
export function searches(names: readonly string[]): fc.Arbitrary<unknown> {
  const name = nearly(names);
  const { filter } = fc.letrec<{ filter: unknown }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, depthIdentifier: "filter" },
      scalar,
      fc.dictionary(
        fc.oneof({ weight: 4, arbitrary: name }, { weight: 1, arbitrary: fc.constantFrom("and", "or", "not", "x", "a/b~") }),
        tie("filter"),
        { maxKeys: 3 },
      ),
      fc.dictionary(operator, scalar, { maxKeys: 2, noNullPrototype: true }),
      fc.array(tie("filter"), { maxLength: 2 }),
    ),
  }));
  const list = fc.oneof(name, fc.array(name, { maxLength: 3 }));
  return fc.record(
    {
      filter,
      sort: list,
      fields: list,
      exclude: list,
      include: list,
      q: scalar,
      page: scalar,
      perPage: scalar,
      cursor: scalar,
      count: scalar,
      filtr: scalar,
    },
    { requiredKeys: [] },
  );
}
