import type { Path, Scalar } from "../../src/storage/scalar.js";
import type { Bindings } from "./bindings.js";
import { columnOf, type Table } from "./table.js";

/** The two sides of a comparison, or `undefined` where no value at that place can compare with it. */
export interface Sides {
  /** Stands in an index on the place where there is one. */
  readonly expression: string;
  /** What has to hold besides for the comparison to mean anything. */
  readonly only?: string | undefined;
  /** The same as `expression` under `only`, in one expression. */
  readonly typed: string;
  readonly parameter: string;
}

/** Only values of the same type compare; JSON knows no `Date`, so none equals one there. */
export function writeSides(path: Path, value: Scalar, table: Table, bindings: Bindings): Sides | undefined {
  const [name, ...keys] = path;
  const { kind, quoted } = columnOf(table, name);
  const { dialect } = bindings;
  if (kind !== "json") {
    const parameter = keys.length > 0 ? undefined : dialect.comparable(kind, value, bindings);
    return parameter === undefined ? undefined : { expression: quoted, typed: quoted, parameter };
  }
  if (value === null || value instanceof Date) return undefined;
  const { indexed, only, typed } = dialect.json(quoted, keys)[jsonType(value)];
  return { expression: indexed, only, typed, parameter: dialect.comparableJson(value, bindings) };
}

/** The type of a value among those that JSON has. */
export function jsonType(value: string | number | bigint | boolean): "text" | "number" | "boolean" {
  if (typeof value === "string") return "text";
  return typeof value === "boolean" ? "boolean" : "number";
}

/** A condition that holds where its sides mean anything. */
export function guarded({ only }: Pick<Sides, "only">, condition: string): string {
  return only === undefined ? condition : `(${only} and ${condition})`;
}

/** Whether there is a value at a place. */
export function writeHas(table: Table, [name, ...keys]: Path): string {
  const { kind, quoted } = columnOf(table, name);
  if (keys.length === 0) return `${quoted} is not null`;
  return kind === "json" ? `${table.dialect.json(quoted, keys).present} is not null` : "false";
}

/** Whether a place is null or missing. */
export function writeMissing(table: Table, [name, ...keys]: Path): string {
  const { kind, quoted } = columnOf(table, name);
  if (keys.length === 0) return `${quoted} is null`;
  return kind === "json" ? `(${table.dialect.json(quoted, keys).missing})` : "true";
}
