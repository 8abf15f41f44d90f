import type { LikePart } from "../../src/storage/filter.js";
import type { ColumnKind } from "../../src/storage/model.js";
import type { Scalar } from "../../src/storage/scalar.js";
import type { Dialect, JsonPlace } from "./dialect.js";
import { quoteText } from "./identifier.js";
import { formatTimestamp, parseTimestamp } from "./timestamp.js";

const types: Record<ColumnKind, string> = {
  text: 'text collate "C"',
  int: "bigint",
  number: "double precision",
  bigint: "bigint",
  boolean: "boolean",
  datetime: "timestamptz",
  json: "jsonb",
};

/** PostgreSQL 12 and later. */
export const postgresDialect: Dialect = {
  name: "postgres",
  lock: " for update",
  bulk: true,
  failureSpoilsTransaction: true,
  placeholder: (position) => `$${position}`,
  columnType: (kind) => types[kind],
  // Through text: drivers that ask for a parameter's type would encode JSON a second time.
  cast: (kind) => (kind === "json" ? "::text::jsonb" : ""),
  encode(kind, value) {
    if (value === null || value === undefined) return null;
    if (kind === "json") return JSON.stringify(value);
    if (kind === "datetime") return formatTimestamp(value as Date);
    return typeof value === "bigint" ? value.toString() : value;
  },
  decode(kind) {
    switch (kind) {
      case "datetime":
        return (stored) => (stored instanceof Date ? stored : parseTimestamp(String(stored)));
      case "boolean":
        return (stored) => stored === true || stored === "t";
      case "bigint":
        return (stored) => BigInt(stored as string | bigint | number);
      case "int":
      case "number":
        return Number;
      case "json":
      case "text":
        return (stored) => stored;
    }
  },
  comparable(kind, value, bindings) {
    if (kind === "text") return typeof value === "string" ? bindings.bind(value) : undefined;
    if (kind === "boolean") return typeof value === "boolean" ? bindings.bind(value) : undefined;
    if (kind === "datetime") return value instanceof Date ? bindings.bind(formatTimestamp(value)) : undefined;
    if (kind === "json" || (typeof value !== "number" && typeof value !== "bigint")) return undefined;
    const parameter = bindings.bind(String(value));
    // Doubles compare with doubles: a bigint beyond 2^53 is rounded for them. Integers compare with anything exactly.
    return kind === "number" || isInt64(value) ? parameter : `${parameter}::numeric`;
  },
  comparableJsonNumber: (value, bindings) => `${bindings.bind(String(value))}::numeric`,
  distinct: (left, right) => `${left} is distinct from ${right}`,
  like: (expression, parts, bindings) => `${expression} like ${bindings.bind(parts.map(likePart).join(""))}`,
  includes: (expression, needle) => `strpos(${expression}, ${needle}) > 0`,
  list: (kind, parameter) => `select item${kind === "int" ? "::bigint" : ""} from jsonb_array_elements_text(${parameter}::text::jsonb) as item`,
  json: jsonPlace,
  jsonContains(column, keys, value, bindings) {
    const element = typeof value === "bigint" ? value.toString() : JSON.stringify(value);
    return `${jsonAt(column, keys)} @> ${bindings.bind(`[${element}]`)}::text::jsonb`;
  },
};

function isInt64(value: Scalar): boolean {
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value;
  return Number.isSafeInteger(value);
}

/** Steps by keys of objects only: an array on the way makes the place missing. */
function jsonAt(column: string, keys: readonly string[]): string {
  return `(${[column, ...keys.map(quoteText)].join(" -> ")})`;
}

function jsonPlace(column: string, keys: readonly string[]): JsonPlace {
  const value = jsonAt(column, keys);
  const type = `jsonb_typeof(${value})`;
  const present = `(${value} #>> '{}')`;
  const ofType = (...names: string[]) => `case when ${type} in (${names.map(quoteText).join(", ")}) then ${present}`;
  const number = `${ofType("number")}::numeric end`;
  return {
    text: `(${ofType("string")} end) collate "C"`,
    number,
    boolean: `${ofType("boolean")}::boolean end`,
    present,
    order: [number, `(${ofType("string", "boolean")} end) collate "C"`],
  };
}

function likePart(part: LikePart): string {
  if (typeof part !== "string") return part.any === "one" ? "_" : "%";
  return part.replaceAll(/[\\%_]/g, "\\$&");
}
