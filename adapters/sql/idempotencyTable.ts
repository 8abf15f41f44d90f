import type { Dialect } from "./dialect.js";
import { quoteIdentifier } from "./identifier.js";
import type { IndexDefinition } from "./schema.js";

/** The table of operations, quoted. */
export const idempotencyTable = quoteIdentifier("_restwright_idempotency");

/** How the engines keep bytes. */
interface IdempotencyDialect {
  readonly bytes: string;
  /** Makes a bound value bytes: drivers of SQLite may bind empty ones as null. */
  bound(parameter: string): string;
  /** The response as a value that every driver reads alike. */
  readonly read: string;
}

export const idempotencyDialects: Readonly<Record<Dialect["name"], IdempotencyDialect>> = {
  sqlite: {
    bytes: "BLOB",
    bound: (parameter) => `coalesce(${parameter}, x'')`,
    read: `"response"`,
  },
  postgres: {
    bytes: "bytea",
    bound: (parameter) => `${parameter}::bytea`,
    read: `encode("response", 'base64')`,
  },
};

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
    `"response" ${idempotencyDialects[name].bytes}`,
  ];
  const index = "_restwright_idempotency:expires";
  return {
    table: `create table if not exists ${idempotencyTable} (${columns.join(", ")})`,
    index: { name: index, text: `create index if not exists ${quoteIdentifier(index)} on ${idempotencyTable} ("expires")` },
  };
}
