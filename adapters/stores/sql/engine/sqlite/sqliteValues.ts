import type { ColumnKind } from "../../../../../src/ground/storage/model.js";
import { decimalText, isDecimal } from "../../../../../src/ground/storage/values/decimal.js";
import type { Scalar } from "../../../../../src/ground/storage/values/scalar.js";
import type { Dialect } from "../dialect.js";
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

/** The types of SQLite, and how their values are converted. */
export const sqliteValues: Pick<Dialect, "columnType" | "compared" | "cast" | "encode" | "decode" | "comparable" | "comparableJson"> = {
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
