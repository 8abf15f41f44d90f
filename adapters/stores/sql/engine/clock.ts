import type { Dialect } from "./dialect.js";

/** Expressions for the current time in whole milliseconds since the epoch: the time of the statement, not of its transaction. */
export const now: Readonly<Record<Dialect["name"], string>> = {
  sqlite: "cast(round(unixepoch('subsec') * 1000) as integer)",
  postgres: "floor(extract(epoch from clock_timestamp()) * 1000)::bigint",
};

/** The current time, evaluated once in a statement: PostgreSQL searches no index for a value that may change from row to row. */
export function instant({ name }: Pick<Dialect, "name">): string {
  return `(select ${now[name]})`;
}
