import type { Path, Scalar } from "../../src/storage/scalar.js";
import type { Bindings } from "./bindings.js";
import { columnOf, type Table } from "./table.js";

/** The two sides of a comparison, or `undefined` where no value at that place can compare with it. */
export interface Sides {
  readonly expression: string;
  readonly parameter: string;
}

/** Only values of the same type compare; JSON knows no `Date`, so none equals one there. */
export function writeSides(path: Path, value: Scalar, table: Table, bindings: Bindings): Sides | undefined {
  const [name, ...keys] = path;
  const { kind, quoted } = columnOf(table, name);
  const { dialect } = bindings;
  if (kind !== "json") {
    const parameter = keys.length > 0 ? undefined : dialect.comparable(kind, value, bindings);
    return parameter === undefined ? undefined : { expression: quoted, parameter };
  }
  const place = dialect.json(quoted, keys);
  if (value === null || value instanceof Date) return undefined;
  if (typeof value === "string") return { expression: place.text, parameter: bindings.bind(value) };
  if (typeof value === "boolean") return { expression: place.boolean, parameter: bindings.bind(dialect.encode("boolean", value)) };
  return { expression: place.number, parameter: dialect.comparableJsonNumber(value, bindings) };
}

/** An expression that is null where the place is null or missing. */
export function presentAt(table: Table, [name, ...keys]: Path): string {
  const { kind, quoted } = columnOf(table, name);
  if (kind === "json") return keys.length === 0 ? quoted : table.dialect.json(quoted, keys).present;
  return keys.length === 0 ? quoted : "null";
}
