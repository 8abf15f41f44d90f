import type { Dialect } from "../engine/dialect.js";
import { quoteIdentifier } from "../schema/identifier.js";
import type { IndexDefinition } from "../schema/schema.js";

const tableName = "_restwright_rate_limits";

/** The quoted name of the table of rate limits. */
export const rateLimitTable = quoteIdentifier(tableName);

/** Statements that create the table and its index. Counts need not survive a crash of the database, so PostgreSQL writes no log for them. */
export function createRateLimitTable({ name, columnType }: Dialect): { readonly table: string; readonly index: IndexDefinition } {
  const columns = [
    `"id" ${columnType("text")} not null primary key`,
    `"used" ${columnType("number")} not null`,
    `"at" ${columnType("int")} not null`,
    `"ends" ${columnType("int")} not null`,
    `"allowed" ${columnType("int")} not null`,
  ];
  const index = `${tableName}:ends`;
  return {
    table: `create ${name === "postgres" ? "unlogged " : ""}table if not exists ${rateLimitTable} (${columns.join(", ")})`,
    index: { name: index, text: `create index if not exists ${quoteIdentifier(index)} on ${rateLimitTable} ("ends")` },
  };
}
