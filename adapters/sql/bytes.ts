import type { Dialect } from "./dialect.js";

/** How the engines keep bytes. */
interface BytesDialect {
  readonly type: string;
  /** Makes a bound value bytes: drivers of SQLite may bind empty ones as null. */
  bound(parameter: string): string;
  /** Makes hexadecimal text bytes. */
  fromHex(expression: string): string;
  /** A column as a value that every driver reads alike. */
  read(column: string): string;
}

export const bytesDialects: Readonly<Record<Dialect["name"], BytesDialect>> = {
  sqlite: {
    type: "BLOB",
    bound: (parameter) => `coalesce(${parameter}, x'')`,
    fromHex: (expression) => `unhex(${expression})`,
    read: (column) => column,
  },
  postgres: {
    type: "bytea",
    bound: (parameter) => `${parameter}::bytea`,
    fromHex: (expression) => `decode(${expression}, 'hex')`,
    read: (column) => `encode(${column}, 'base64')`,
  },
};

/** Base64 of PostgreSQL, or what SQLite's drivers make of a blob: an array of bytes, a bare buffer, or null for an empty one. */
export function toBytes(stored: unknown): Uint8Array {
  if (typeof stored === "string") return new Uint8Array(Buffer.from(stored, "base64"));
  if (stored instanceof Uint8Array) return new Uint8Array(stored);
  return stored instanceof ArrayBuffer ? new Uint8Array(stored) : new Uint8Array();
}
