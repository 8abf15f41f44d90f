import type { Dialect } from "./dialect.js";

/** The current time, evaluated once in a statement: PostgreSQL searches no index for a value that may change from row to row. */
export function instant({ now }: Pick<Dialect, "now">): string {
  return `(select ${now})`;
}
