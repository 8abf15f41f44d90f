import type { Dialect } from "../engine/dialect.js";
import { ownIndex } from "../schema/ownIndex.js";
import type { IndexDefinition } from "../schema/schema.js";

/** Statements that create the table and its index. Counts need not survive a crash of the database. */
export function createRateLimitTable({ columnType, place, schema: { unlogged } }: Dialect): {
  readonly table: string;
  readonly index: IndexDefinition;
} {
  const columns = [
    `"id" ${columnType("text")} not null primary key`,
    `"used" ${columnType("number")} not null`,
    `"at" ${columnType("int")} not null`,
    `"ends" ${columnType("int")} not null`,
    `"allowed" ${columnType("int")} not null`,
  ];
  return {
    table: `create ${unlogged}table if not exists ${place.own.rateLimits} (${columns.join(", ")})`,
    index: ownIndex(place, "rateLimits", "ends", `("ends")`),
  };
}
