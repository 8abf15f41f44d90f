import { bytesDialects } from "../engine/bytes.js";
import type { Dialect } from "../engine/dialect.js";
import { quoteIdentifier } from "../schema/identifier.js";
import type { AddedColumn, IndexDefinition } from "../schema/schema.js";

const tableName = "_restwright_idempotency";

/** The quoted name of the table of idempotency records. */
export const idempotencyTable = quoteIdentifier(tableName);

/** Statements that create the table and its indexes. `response` is null until the operation is done. */
export function createIdempotencyTable({ name, columnType }: Dialect): {
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
    `"response" ${bytesDialects[name].type}`,
    `"owner" ${columnType("text")}`,
    `"size" ${columnType("int")}`,
  ];
  return {
    table: `create table if not exists ${idempotencyTable} (${columns.join(", ")})`,
    added: [
      { table: tableName, name: "owner", type: columnType("text") },
      { table: tableName, name: "size", type: columnType("int") },
      // The process that holds the lease.
      { table: tableName, name: "holder", type: columnType("int") },
    ],
    // The second index alone answers the sum of an owner.
    indexes: [index("expires", `("expires")`), index("owner", `("owner", "expires", "size")`)],
  };
}

function index(name: string, columns: string): IndexDefinition {
  const full = `${tableName}:${name}`;
  return { name: full, text: `create index if not exists ${quoteIdentifier(full)} on ${idempotencyTable} ${columns}` };
}
