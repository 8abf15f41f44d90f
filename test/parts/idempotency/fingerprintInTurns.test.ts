// @slow

import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fingerprintOf } from "../../../src/parts/idempotency/fingerprint.js";
import { fingerprintInTurns } from "../../../src/parts/idempotency/fingerprintInTurns.js";

const requestOf = (json: unknown) => ({ method: "POST", target: "/users/batch?", mediaType: "application/json", handling: "strict", body: { json } });

const wide = (value: unknown) => Object.fromEntries(Array.from({ length: 950 }, (_, index) => [`m${(index * 7919) % 10_007}`, value]));

describe("fingerprintInTurns", () => {
  it("is that of fingerprintOf, however large the value is and wherever it is large", async () => {
    const large = { items: Array.from({ length: 20 }, () => wide("0123456789")) };
    const shapes = [
      large,
      { ...large, toJSON: 1 },
      { text: "x".repeat(100_000) },
      [[large, 1], [], {}],
      { b: large, a: null, "": [-0, true, "\u2028"] },
    ];
    for (const json of shapes) expect(await fingerprintInTurns(requestOf(json))).toBe(fingerprintOf(requestOf(json)));
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.boolean(), async (value, isFirst) => {
        const json = isFirst ? [value, large] : { b: value, a: large };
        expect(await fingerprintInTurns(requestOf(json))).toBe(fingerprintOf(requestOf(json)));
      }),
      { numRuns: 20 },
    );
  });

  it("is that of fingerprintOf without a JSON body", async () => {
    for (const body of [undefined, { bytes: Buffer.alloc(100_000) }]) {
      const request = { ...requestOf(1), body };
      expect(await fingerprintInTurns(request)).toBe(fingerprintOf(request));
    }
  });

  it("lets the event loop turn while it hashes the largest batch", async () => {
    let turns = 0;
    let isDone = false;
    const counting = (async () => {
      while (!isDone) {
        await setImmediate();
        turns += 1;
      }
    })();
    await fingerprintInTurns(requestOf({ items: Array.from({ length: 500 }, () => ({ data: wide(1) })), toJSON: 1 }));
    isDone = true;
    await counting;
    expect(turns).toBeGreaterThan(2);
  });
});
