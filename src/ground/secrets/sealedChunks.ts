import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { turnIsOver, yieldToEventLoop } from "../http/yieldToEventLoop.js";
import type { ByteRange } from "../storage/files/blobs.js";
import { SecretBoxError } from "./secretBoxError.js";

/** Bytes of plain text in each chunk but the last, which may have fewer. */
export const chunkBytes = 65_536;

const algorithm = "aes-256-gcm";
const tagBytes = 16;
const sealedChunkBytes = chunkBytes + tagBytes;

/** A key for one text; a key that seals two texts would repeat nonces. */
export function createDataKey(): Uint8Array {
  return randomBytes(32);
}

/** The length of a sealed text in bytes. */
export function sealedLength(plainBytes: number): number {
  return plainBytes + tagBytes * (lastChunkOf(plainBytes) + 1);
}

/**
 * Seals a text in chunks of AES-256-GCM, so that parts of it can be opened. The nonce of a chunk is its number and whether it is the last, so that chunks
 * cannot be changed, moved, left out or cut off.
 *
 * @see Hoang, Reyhanitabar, Rogaway, Vizár: Online Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance (STREAM)
 */
export class ChunkSealer {
  readonly #key: Uint8Array;
  readonly #held = Buffer.allocUnsafe(chunkBytes);
  #length = 0;
  #number = 0;

  /** @param key of {@link createDataKey}, used for nothing else */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Adds bytes; yields the chunks that are complete, each in memory of its own. */
  *add(bytes: Uint8Array): Generator<Uint8Array, void, void> {
    for (let start = 0; start < bytes.length; ) {
      // A full chunk is held back, because it may be the last.
      if (this.#length === chunkBytes) yield this.#seal(false);
      const part = bytes.subarray(start, start + chunkBytes - this.#length);
      this.#held.set(part, this.#length);
      this.#length += part.length;
      start += part.length;
    }
  }

  /** The last chunk. */
  end(): Uint8Array {
    return this.#seal(true);
  }

  #seal(isLast: boolean): Uint8Array {
    const cipher = createCipheriv(algorithm, this.#key, nonceOf(this.#number, isLast), { authTagLength: tagBytes });
    const sealed = Buffer.concat([cipher.update(this.#held.subarray(0, this.#length)), cipher.final(), cipher.getAuthTag()]);
    this.#number += 1;
    this.#length = 0;
    return sealed;
  }
}

/** A part of a sealed text. */
export interface SealedPart {
  /** The bytes of the sealed text that contain it. */
  readonly range: ByteRange;
  /**
   * Opens these bytes. Each chunk is verified before any of it is returned.
   *
   * @throws {SecretBoxError} UNREADABLE
   */
  open(sealed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined>;
}

/**
 * Finds a part of a sealed text.
 *
 * @param plainBytes length of the whole plain text
 * @param part bytes of the plain text
 */
export function sealedPart(key: Uint8Array, plainBytes: number, { start, end }: ByteRange): SealedPart {
  const last = lastChunkOf(plainBytes);
  const first = Math.floor(start / chunkBytes);
  const until = Math.min(end, plainBytes);
  const final = start < until ? Math.ceil(until / chunkBytes) - 1 : first - 1;
  return {
    range: { start: first * sealedChunkBytes, end: Math.min((final + 1) * sealedChunkBytes, sealedLength(plainBytes)) },
    async *open(sealed) {
      let number = first;
      for await (const chunk of chunksOf(sealed)) {
        if (number > final) break;
        const plain = openChunk(key, number, number === last, chunk);
        const from = number * chunkBytes;
        number += 1;
        yield plain.subarray(Math.max(0, start - from), until - from);
        if (turnIsOver()) await yieldToEventLoop();
      }
      if (number <= final) throw unreadable();
    },
  };
}

async function* chunksOf(sealed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const held = Buffer.allocUnsafe(sealedChunkBytes);
  let length = 0;
  for await (const bytes of sealed) {
    for (let start = 0; start < bytes.length; ) {
      const part = bytes.subarray(start, start + sealedChunkBytes - length);
      held.set(part, length);
      length += part.length;
      start += part.length;
      if (length < sealedChunkBytes) continue;
      yield held;
      length = 0;
    }
  }
  if (length > 0) yield held.subarray(0, length);
}

function openChunk(key: Uint8Array, number: number, isLast: boolean, sealed: Uint8Array): Uint8Array {
  if (sealed.length < tagBytes) throw unreadable();
  const decipher = createDecipheriv(algorithm, key, nonceOf(number, isLast), { authTagLength: tagBytes });
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()]);
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** 11 bytes for the number, one for whether the chunk is the last. */
function nonceOf(number: number, isLast: boolean): Uint8Array {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** An empty text has one chunk, which is empty. */
function lastChunkOf(plainBytes: number): number {
  return Math.max(0, Math.ceil(plainBytes / chunkBytes) - 1);
}

function unreadable(cause?: unknown): SecretBoxError {
  return new SecretBoxError("UNREADABLE", "A sealed text has been changed or cut off.", { cause });
}
