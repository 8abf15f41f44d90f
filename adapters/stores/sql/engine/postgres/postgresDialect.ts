import { isDecimal } from "../../../../../src/ground/storage/decimal.js";
import type { LikePart } from "../../../../../src/ground/storage/filter.js";
import type { ColumnKind } from "../../../../../src/ground/storage/model.js";
import type { Scalar } from "../../../../../src/ground/storage/scalar.js";
import { quoteText } from "../../schema/identifier.js";
import type { MissingKeys } from "../../schema/missing.js";
import { placeOf } from "../../schema/place.js";
import type { Dialect, JsonPlace } from "../dialect.js";
import { formatTimestamp, parseTimestamp } from "./timestamp.js";

const types: Record<ColumnKind, string> = {
  text: 'text collate "C"',
  int: "bigint",
  number: "double precision",
  bigint: "bigint",
  decimal: "numeric",
  boolean: "boolean",
  datetime: "timestamptz",
  json: "jsonb",
};

/** PostgreSQL 12 and later. */
export const postgresDialect: Dialect = {
  name: "postgres",
  place: placeOf(),
  locks: { update: " for update", share: " for key share" },
  lockNumber: "select pg_advisory_xact_lock($1::bigint)",
  bulk: true,
  placeholder: (position) => `$${position}`,
  columnType: (kind) => types[kind],
  compared: (_kind, quoted) => quoted,
  // Cast through text: drivers that ask for the type of a parameter would encode JSON twice.
  cast: (kind) => (kind === "json" ? "::text::jsonb" : kind === "decimal" ? "::text::numeric" : ""),
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
      case "decimal":
        return String;
      case "json":
      case "text":
        return (stored) => stored;
    }
  },
  comparable(kind, value, bindings) {
    if (kind === "text") return typeof value === "string" ? bindings.bind(value) : undefined;
    if (kind === "decimal") return typeof value === "string" && isDecimal(value) ? `${bindings.bind(value)}::text::numeric` : undefined;
    if (kind === "boolean") return typeof value === "boolean" ? bindings.bind(value) : undefined;
    if (kind === "datetime") return value instanceof Date ? bindings.bind(formatTimestamp(value)) : undefined;
    if (kind === "json" || (typeof value !== "number" && typeof value !== "bigint")) return undefined;
    const parameter = bindings.bind(String(value));
    // Doubles compare with doubles, so a bigint beyond 2^53 is rounded for them. Integers compare exactly with numerics.
    return kind === "number" || isInt64(value) ? parameter : `${parameter}::numeric`;
  },
  comparableJson: (value, bindings) => `${bindings.bind(String(value))}${typeof value === "string" || typeof value === "boolean" ? "" : "::numeric"}`,
  valued: (_kind, expression) => `${expression} is not null`,
  distinct: (left, right) => `${left} is distinct from ${right}`,
  like: (expression, parts, bindings) => `${expression} like ${bindings.bind(parts.map(likePart).join(""))}`,
  position: (expression, needle) => `strpos(${expression}, ${needle})`,
  list: (kind, parameter) => `select item${kind === "int" ? "::bigint" : ""} from jsonb_array_elements_text(${parameter}::text::jsonb) as list(item)`,
  json: jsonPlace,
  jsonLacks: lacks,
  validJson: (column) => column,
  jsonContains(column, keys, value, bindings) {
    const element = typeof value === "bigint" ? value.toString() : JSON.stringify(value);
    return `${jsonAt(column, keys)} @> ${bindings.bind(`[${element}]`)}::text::jsonb`;
  },
};

function isInt64(value: Scalar): boolean {
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value;
  return Number.isSafeInteger(value);
}

/** Follows keys of objects only: inside an array the value is missing. */
function jsonAt(column: string, keys: readonly string[]): string {
  return `(${[column, ...keys.map(quoteText)].join(" -> ")})`;
}

function lacks(column: string, keys: readonly string[]): string {
  return `${jsonAt(column, keys)} is null and jsonb_typeof(${jsonAt(column, keys.slice(0, -1))}) = 'object'`;
}

/** Text, numbers and booleans are three separate index expressions: no type of PostgreSQL sorts all of them as required. */
function jsonPlace(column: string, keys: readonly string[], missing: readonly MissingKeys[] = []): JsonPlace {
  const value = jsonAt(column, keys);
  const stored = `(${value} #>> '{}')`;
  const when = (each: MissingKeys, result: string) => ` when ${lacks(column, each.keys)} then ${result}`;
  const ofType = (name: "string" | "number" | "boolean", cast = "") => {
    const defaults = missing.filter((each) => typeof each.value === name).map((each) => when(each, `${quoteText(String(each.value))}${cast}`));
    return `case when jsonb_typeof(${value}) = '${name}' then ${stored}${cast}${defaults.join("")} end`;
  };
  const text = `(${ofType("string")}) collate "C"`;
  const number = ofType("number", "::numeric");
  const boolean = ofType("boolean", "::boolean");
  const present =
    missing.length === 0 ? stored : `(case${missing.map((each) => when(each, quoteText(JSON.stringify(each.value)))).join("")} else ${stored} end)`;
  // Not "present is null": the planner would estimate too few rows.
  const noStructure = ["object", "array"].map((name) => `jsonb_typeof(${value}) is distinct from '${name}'`);
  const structures = missing.filter((each) => typeof each.value === "object").map((each) => `(${lacks(column, each.keys)}) is not true`);
  return {
    text: { typed: text, indexed: text, only: undefined, implied: `${number} is null and ${boolean} is null` },
    number: { typed: number, indexed: number, only: `${text} is null`, implied: `${boolean} is null` },
    boolean: { typed: boolean, indexed: boolean, only: `${text} is null and ${number} is null`, implied: undefined },
    present,
    missing: [...[text, number, boolean].map((expression) => `${expression} is null`), ...noStructure, ...structures].join(" and "),
    order: [text, number, boolean],
  };
}

function likePart(part: LikePart): string {
  if (typeof part !== "string") return part.any === "one" ? "_" : "%";
  return part.replaceAll(/[\\%_]/g, "\\$&");
}
