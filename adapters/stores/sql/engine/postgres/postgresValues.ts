import type { ColumnKind } from "../../../../../src/ground/storage/model.js";
import { isDecimal } from "../../../../../src/ground/storage/values/decimal.js";
import type { Scalar } from "../../../../../src/ground/storage/values/scalar.js";
import type { Dialect } from "../dialect.js";
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

/** The types of PostgreSQL, and how their values are converted. */
export const postgresValues: Pick<Dialect, "columnType" | "compared" | "cast" | "encode" | "decode" | "comparable" | "comparableJson"> = {
  // With the digits in the type, a change of them is found at the start: the engine would round to the digits of before.
  columnType: (kind, digits) => (digits === undefined ? types[kind] : `${types[kind]}(${digits.precision},${digits.scale})`),
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
};

function isInt64(value: Scalar): boolean {
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value;
  return Number.isSafeInteger(value);
}
