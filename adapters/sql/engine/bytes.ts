import type { Dialect } from "./dialect.js";

/** How an engine stores bytes. */
interface BytesDialect {
  readonly type: string;
  /** A bound value as bytes; SQLite drivers may bind empty bytes as null. */
  bound(parameter: string): string;
  /** Hexadecimal text as bytes. */
  fromHex(expression: string): string;
  /** A column as a value that all drivers read in the same way. */
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
