import type { Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";
import type { Bindings } from "../engine/bindings.js";
import type { Table } from "../schema/table.js";

/** The two sides of a comparison. */
export interface Sides {
  /** The expression of an index on the path, if there is one. */
  readonly expression: string;
  /** A condition that must also hold; without it the comparison has no meaning. */
  readonly only?: string | undefined;
  /** `expression` and `only` as one expression: null where `only` does not hold. */
  readonly typed: string;
  readonly parameter: string;
}

/** Only values of the same type compare. JSON has no dates, so no value in it equals a `Date`. @returns `undefined` if no value at the path can equal the value */
export function writeSides(path: Path, value: Scalar, table: Table, bindings: Bindings): Sides | undefined {
  const { column, keys, missing } = table.at(path);
  const { kind, quoted } = column;
  const { dialect } = bindings;
  if (kind !== "json") {
    const parameter = keys.length > 0 ? undefined : column.comparable(value, bindings);
    return parameter === undefined ? undefined : { expression: quoted, typed: quoted, parameter };
  }
  if (value === null || value instanceof Date) return undefined;
  const { indexed, only, typed } = dialect.json(quoted, keys, missing)[jsonType(value)];
  return { expression: indexed, only, typed, parameter: dialect.comparableJson(value, bindings) };
}

/** The JSON type of a value. */
export function jsonType(value: string | number | bigint | boolean): "text" | "number" | "boolean" {
  if (typeof value === "string") return "text";
  return typeof value === "boolean" ? "boolean" : "number";
}

/** The condition together with the `only` of its sides. */
export function guarded({ only }: Pick<Sides, "only">, condition: string): string {
  return only === undefined ? condition : `(${only} and ${condition})`;
}

/** Writes the condition "there is a value at the path". */
export function writeHas(table: Table, path: Path): string {
  const { column, keys, missing } = table.at(path);
  const { kind, quoted, present = `${quoted} is not null` } = column;
  if (keys.length === 0) return present;
  return kind === "json" ? `${table.dialect.json(quoted, keys, missing).present} is not null` : "false";
}

/** Writes the condition "the value at the path is null or missing". */
export function writeMissing(table: Table, path: Path): string {
  const { column, keys, missing } = table.at(path);
  const { kind, quoted, present } = column;
  if (keys.length === 0) return present === undefined ? `${quoted} is null` : `(${present}) is not true`;
  return kind === "json" ? `(${table.dialect.json(quoted, keys, missing).missing})` : "true";
}
