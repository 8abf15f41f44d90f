import { createHash, type Hash } from "node:crypto";
import { turnIsOver, yieldToEventLoop } from "../yieldToEventLoop.js";

const sliceBytes = 1_048_576;

/** Hashes many bytes in slices that yield to the event loop. */
export async function hashBytes(algorithm: "sha1" | "sha256", bytes: Uint8Array): Promise<Hash> {
  const hash = createHash(algorithm);
  for (let start = 0; start < bytes.length; start += sliceBytes) {
    hash.update(bytes.subarray(start, start + sliceBytes));
    if (turnIsOver()) await yieldToEventLoop();
  }
  return hash;
}
