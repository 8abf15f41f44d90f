import { randomBytes } from "node:crypto";

/** What all bodies are made of. Random, as compressed files look: a parser meets the first character of a boundary every 256 bytes. */
const piece = randomBytes(1_048_576);

/** So many bytes, of which no more than a mebibyte is in memory. */
export function* repeated(bytes: number): Generator<Uint8Array, void, undefined> {
  for (let left = bytes; left > 0; left -= piece.length) yield left < piece.length ? piece.subarray(0, left) : piece;
}
