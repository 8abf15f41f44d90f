import type { Dialect } from "../../../../../../adapters/stores/sql/engine/dialect.js";
import { sqliteValues } from "../../../../../../adapters/stores/sql/engine/sqlite/sqliteValues.js";
import type { ColumnKind } from "../../../../../../src/ground/storage/model.js";

const types: Record<ColumnKind, string> = {
  text: "varchar",
  int: "integer",
  number: "double",
  bigint: "integer",
  decimal: "varchar",
  boolean: "char",
  datetime: "varchar",
  json: "clob",
};

/** The first instant that a `Date` can have, so that no text of an instant has a sign. */
const firstInstant = 8_640_000_000_000_000n;

const instantText = (date: Date) => String(BigInt(date.getTime()) + firstInstant).padStart(17, "0");
const booleanText = (value: unknown) => (value === true ? "true" : "false");

/** Instants and booleans are texts, all others as SQLite has them. */
export const loftValues: Pick<Dialect, "columnType" | "compared" | "cast" | "encode" | "decode" | "comparable" | "comparableJson"> = {
  ...sqliteValues,
  columnType: (kind) => types[kind],
  encode(kind, value) {
    if (value instanceof Date) return instantText(value);
    return kind === "boolean" && typeof value === "boolean" ? booleanText(value) : sqliteValues.encode(kind, value);
  },
  decode(kind) {
    if (kind === "datetime") return (stored) => new Date(Number(BigInt(String(stored)) - firstInstant));
    return kind === "boolean" ? (stored) => stored === "true" : sqliteValues.decode(kind);
  },
  comparable(kind, value, bindings) {
    if (kind === "datetime") return value instanceof Date ? bindings.bind(instantText(value)) : undefined;
    if (kind === "boolean") return typeof value === "boolean" ? bindings.bind(booleanText(value)) : undefined;
    return sqliteValues.comparable(kind, value, bindings);
  },
};
