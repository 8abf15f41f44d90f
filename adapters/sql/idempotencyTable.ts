import { bytesDialects } from "./bytes.js";
import type { Dialect } from "./dialect.js";
import { quoteIdentifier } from "./identifier.js";
import type { IndexDefinition } from "./schema.js";

/** The table of operations, quoted. */
export const idempotencyTable = quoteIdentifier("_restwright_idempotency");

/** Statements that make the table and its index where they are missing. `response` is null until the operation is done. */
export function createIdempotencyTable({ name, columnType }: Dialect): { readonly table: string; readonly index: IndexDefinition } {
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
  ];
  const index = "_restwright_idempotency:expires";
  return {
    table: `create table if not exists ${idempotencyTable} (${columns.join(", ")})`,
    index: { name: index, text: `create index if not exists ${quoteIdentifier(index)} on ${idempotencyTable} ("expires")` },
  };
}
