import type { Column, ColumnKind } from "../../../../src/ground/storage/model.js";
import type { Dialect } from "../engine/dialect.js";
import { quoteText } from "./identifier.js";

/**
 * The constant default of a field, as a row holds it; `undefined` if it has none. A default may be a function: what two readings agree on is taken for a constant,
 * but never an instant, of which two within a millisecond are the same.
 */
export function constantDefault({ default: read }: Column): unknown {
  const [one, other] = [read?.(), read?.()];
  if (one === undefined || one === null || one instanceof Date) return undefined;
  return text(one) === text(other) ? one : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "bigint" ? value.toString() : JSON.stringify(value);
}

/** ` default …` of a column definition; empty for a value that no statement can contain. */
export function defaultClause(dialect: Dialect, kind: ColumnKind, value: unknown): string {
  const encoded = dialect.encode(kind, value);
  if (encoded === null || String(encoded).includes("\0")) return "";
  return ` default ${typeof encoded === "string" && kind !== "bigint" ? quoteText(encoded) : String(encoded)}`;
}
