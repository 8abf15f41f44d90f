import assert from "node:assert/strict";
import type { Begun } from "../../ground/storage/idempotency.js";

/** Asserts that another begin is in flight, for between one and `leaseMs` more milliseconds. */
export function assertInFlight(begun: Begun, fingerprint = "fingerprint", leaseMs = 60_000): void {
  assert.ok(begun.kind === "inFlight", `expected "inFlight", got "${begun.kind}"`);
  assert.equal(begun.fingerprint, fingerprint);
  assert.ok(begun.retryAfterMs >= 1 && begun.retryAfterMs <= leaseMs, `retryAfterMs is ${begun.retryAfterMs}`);
}

/** Asserts that the operation is done and the response is unchanged. */
export function assertDone(begun: Begun, response: Uint8Array, fingerprint = "fingerprint"): void {
  assert.ok(begun.kind === "done", `expected "done", got "${begun.kind}"`);
  assert.equal(begun.fingerprint, fingerprint);
  assert.ok(begun.response instanceof Uint8Array, "the response is not a Uint8Array");
  assert.equal(begun.response.length, response.length, "the length of the response");
  assert.ok(Buffer.compare(begun.response, response) === 0, "the response has changed");
}

/** Counts the results by kind. */
export function tally(all: readonly Begun[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of all) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** A text as bytes. */
export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
