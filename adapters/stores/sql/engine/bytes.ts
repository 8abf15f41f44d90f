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
