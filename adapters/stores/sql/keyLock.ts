import { createHash } from "node:crypto";
import { run, type Session } from "./engine/session.js";

/**
 * Waits until no other transaction holds the key, and holds it until this one ends.
 *
 * Engines lock numbers. The first 64 bits of a hash keep keys apart from each other, from other locks of this library and from those of the developer.
 *
 * @throws {Unavailable} if the holder does not end in time @throws {Retryable} if the holder waits for this transaction
 */
export async function lockKey(session: Session, key: string): Promise<void> {
  const { number: lockNumber } = session.dialect.locks;
  if (lockNumber === undefined) return;
  await run(session, { text: lockNumber, values: [numberOf(key).toString()], writes: true, returns: "none" });
}

/** The same for storages with other prefixes or schemas: they may have tables of the developer in common. */
function numberOf(key: string): bigint {
  return createHash("sha256").update(`restwright lock\0${key}`).digest().readBigInt64BE(0);
}
