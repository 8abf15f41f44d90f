import { decimalText, isDecimal } from "../../../../../src/ground/storage/decimal.js";
import type { LikePart } from "../../../../../src/ground/storage/filter.js";
import type { ColumnKind } from "../../../../../src/ground/storage/model.js";
import type { Scalar } from "../../../../../src/ground/storage/scalar.js";
import { quoteText } from "../../schema/identifier.js";
import type { MissingKeys } from "../../schema/missing.js";
import { placeOf } from "../../schema/place.js";
import type { Bindings } from "../bindings.js";
import type { Dialect, JsonPlace } from "../dialect.js";
import { decimalKey, decimalKeyOf } from "./decimalKey.js";

const types: Record<ColumnKind, string> = {
  text: "TEXT",
  int: "INTEGER",
  number: "REAL",
  bigint: "INTEGER",
  decimal: "TEXT",
  boolean: "INTEGER",
  datetime: "INTEGER",
  json: "TEXT",
};

/** SQLite 3.45 and later. Its BINARY collation compares UTF-8 bytes, which order as code points do. */
export const sqliteDialect: Dialect = {
  name: "sqlite",
  place: placeOf(),
  locks: { update: "", share: "" },
  // SQLite sometimes reads numbers from JSON with an error in the last digit, and plain parameters are faster.
  bulk: false,
  placeholder: () => "?",
  columnType: (kind) => types[kind],
  compared: (kind, quoted) => (kind === "decimal" ? decimalKeyOf(quoted) : quoted),
  cast: () => "",
  encode(kind, value) {
    if (value === null || value === undefined) return null;
    if (kind === "json") return JSON.stringify(value);
    if (kind === "datetime") return (value as Date).getTime();
    // Without the zeros at its end, so that equal numbers are equal texts, whatever the schema says of its digits.
    if (kind === "decimal") return decimalText(String(value), 0);
    return kind === "boolean" ? Number(value) : value;
  },
  decode(kind) {
    switch (kind) {
      case "json":
        return (stored) => JSON.parse(stored as string);
      case "datetime":
        return (stored) => new Date(Number(stored));
      case "boolean":
        return (stored) => Number(stored) === 1;
      case "bigint":
        return (stored) => BigInt(stored as bigint | number);
      case "int":
      case "number":
        return Number;
      case "decimal":
      case "text":
        return (stored) => stored;
    }
  },
  comparable(kind, value, bindings) {
    const encoded = encodeComparable(kind, value);
    return encoded === undefined ? undefined : bindings.bind(encoded);
  },
  comparableJson(value, bindings) {
    if (typeof value === "string") return bindings.bind(value);
    if (typeof value === "boolean") return bindings.bind(Number(value));
    // The engine parses both sides, so that equal JSON numbers are equal.
    return `json_extract(${bindings.bind(String(value))}, '$')`;
  },
  // SQLite does not search an index with "is not null". All numbers are above this bound, and so are all texts if the column does not convert it to text.
  valued: (kind, expression) => `${expression} >= ${kind === "text" || kind === "decimal" ? "''" : "-9e999"}`,
  distinct: (left, right) => `${left} is not ${right}`,
  like: (expression, parts, bindings) => `${expression} glob ${bindings.bind(parts.map(globPart).join(""))}`,
  position: (expression, needle) => `instr(${expression}, ${needle})`,
  list: (_kind, parameter) => `select value as item from json_each(${parameter})`,
  json: jsonPlace,
  jsonLacks: lacks,
  validJson: (column) => `case when json_valid(${column}, 9) then ${column} end`,
  jsonContains(column, keys, value, bindings) {
    const place = quoteText(jsonPath(keys));
    const element = elementEquals(value, bindings);
    return `(json_type(${column}, ${place}) = 'array' and exists (select 1 from json_each(${column}, ${place}) as element where ${element}))`;
  },
};

const lowestInt64 = -(2n ** 63n);
const highestInt64 = 2n ** 63n - 1n;

function encodeComparable(kind: ColumnKind, value: Scalar): unknown {
  switch (kind) {
    case "text":
      return typeof value === "string" ? value : undefined;
    case "decimal":
      return typeof value === "string" && isDecimal(value) ? decimalKey(value) : undefined;
    case "boolean":
      return typeof value === "boolean" ? Number(value) : undefined;
    case "datetime":
      return value instanceof Date ? value.getTime() : undefined;
    case "json":
      return undefined;
    default:
      if (typeof value === "bigint") return value < lowestInt64 || value > highestInt64 ? Number(value) : value;
      return typeof value === "number" ? value : undefined;
  }
}

/** A path for `json_extract`. Its quoted labels support JSON escapes except an escaped quote. */
function jsonPath(keys: readonly string[]): string {
  return `$${keys.map((key) => `.${JSON.stringify(key).replaceAll('\\"', "\\u0022")}`).join("")}`;
}

function lacks(column: string, keys: readonly string[]): string {
  return `json_type(${column}, ${quoteText(jsonPath(keys))}) is null and json_type(${column}, ${quoteText(jsonPath(keys.slice(0, -1)))}) = 'object'`;
}

/** The type of a value as `json_type` names it, and the value as `json_extract` reads it. */
function written(value: unknown): { readonly type: string; readonly value: string } {
  if (typeof value === "string") return { type: "'text'", value: quoteText(value) };
  if (typeof value === "boolean") return { type: `'${value}'`, value: String(Number(value)) };
  if (typeof value === "number") return { type: "'real'", value: `json_extract('${value}', '$')` };
  return { type: Array.isArray(value) ? "'array'" : "'object'", value: quoteText(JSON.stringify(value)) };
}

function jsonPlace(column: string, keys: readonly string[], missing: readonly MissingKeys[] = []): JsonPlace {
  const place = quoteText(jsonPath(keys));
  const orDefault = (stored: string, part: "type" | "value") => {
    const cases = missing.map((each) => `when ${lacks(column, each.keys)} then ${written(each.value)[part]}`);
    return cases.length === 0 ? stored : `(case ${cases.join(" ")} else ${stored} end)`;
  };
  const type = orDefault(`json_type(${column}, ${place})`, "type");
  const value = orDefault(`json_extract(${column}, ${place})`, "value");
  return {
    text: { typed: `case ${type} when 'text' then ${value} end`, indexed: value, implied: undefined, only: `${type} = 'text'` },
    number: {
      typed: `case when ${type} in ('integer', 'real') then ${value} end`,
      indexed: value,
      implied: undefined,
      only: `${type} in ('integer', 'real')`,
    },
    boolean: {
      typed: `case ${type} when 'true' then 1 when 'false' then 0 end`,
      indexed: value,
      implied: undefined,
      only: `${type} in ('true', 'false')`,
    },
    present: value,
    missing: `${value} is null`,
    order: [value],
  };
}

function elementEquals(value: string | number | bigint | boolean, bindings: Bindings): string {
  if (typeof value === "boolean") return `element.type = '${value}'`;
  if (typeof value === "string") return `element.type = 'text' and element.value = ${bindings.bind(value)}`;
  return `element.type in ('integer', 'real') and element.value = ${sqliteDialect.comparableJson(value, bindings)}`;
}

/** A part of a `glob` pattern. `like` would ignore the case of ASCII letters. */
function globPart(part: LikePart): string {
  if (typeof part !== "string") return part.any === "one" ? "?" : "*";
  return part.replaceAll(/[*?[]/g, "[$&]");
}
