import type { Dialect } from "./dialect.js";

/** How an engine stores bytes. */
interface BytesDialect {
  readonly type: string;
  /** A bound value as bytes; SQLite drivers may bind empty bytes as null. */
  bound(parameter: string): string;
  /** A part of a bound value. @param start counted from 1 */
  part(parameter: string, start: string, length: string): string;
  /** A column as a value that all drivers read in the same way. */
  read(column: string): string;
}

export const bytesDialects: Readonly<Record<Dialect["name"], BytesDialect>> = {
  sqlite: {
    type: "BLOB",
    bound: (parameter) => `coalesce(${parameter}, x'')`,
    part: (parameter, start, length) => `substr(${parameter}, ${start}, ${length})`,
    read: (column) => column,
  },
  postgres: {
    type: "bytea",
    bound: (parameter) => `${parameter}::bytea`,
    part: (parameter, start, length) => `substring(${parameter}::bytea from ${start}::int for ${length}::int)`,
    read: (column) => `encode(${column}, 'base64')`,
  },
};

/** Bytes from base64 (PostgreSQL) or from what a SQLite driver returns for a blob: a byte array, an `ArrayBuffer`, or null if it is empty. */
export function toBytes(stored: unknown): Uint8Array {
  if (typeof stored === "string") return new Uint8Array(Buffer.from(stored, "base64"));
  if (stored instanceof Uint8Array) return new Uint8Array(stored);
  return stored instanceof ArrayBuffer ? new Uint8Array(stored) : new Uint8Array();
}

/** Hexadecimal text of bytes: JSON parameters have no bytes. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
