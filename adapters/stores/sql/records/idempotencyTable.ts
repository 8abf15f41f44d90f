import type { Dialect } from "../engine/dialect.js";
import { ownIndex } from "../schema/ownIndex.js";
import type { AddedColumn, IndexDefinition } from "../schema/schema.js";

/** Statements that create the table and its indexes. `response` is null until the operation is done. */
export function createIdempotencyTable({ bytes, columnType, place }: Dialect): {
  readonly table: string;
  readonly added: readonly AddedColumn[];
  readonly indexes: readonly IndexDefinition[];
} {
  const [text, integer] = [`${columnType("text")} not null`, `${columnType("int")} not null`];
  const columns = [
    `"id" ${text} primary key`,
    `"operation" ${text}`,
    `"attempt" ${integer}`,
    `"fingerprint" ${text}`,
    `"created" ${integer}`,
    `"lease" ${integer}`,
    `"expires" ${integer}`,
    `"response" ${bytes.type}`,
    `"owner" ${columnType("text")}`,
    `"size" ${columnType("int")}`,
  ];
  return {
    table: `create table if not exists ${place.own.idempotency} (${columns.join(", ")})`,
    added: [
      { table: "idempotency", name: "owner", type: columnType("text") },
      { table: "idempotency", name: "size", type: columnType("int") },
      // The process that holds the lease.
      { table: "idempotency", name: "holder", type: columnType("int") },
      // The operation id of the begin that holds the lease; "operation" is that of the first begin.
      { table: "idempotency", name: "begun", type: columnType("text") },
    ],
    // The second index alone answers the sum of an owner.
    indexes: [ownIndex(place, "idempotency", "expires", `("expires")`), ownIndex(place, "idempotency", "owner", `("owner", "expires", "size")`)],
  };
}
