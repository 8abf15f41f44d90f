import { afterAll, describe, expect, test } from "vitest";
import { sampled, sampleNote } from "../tools/extent.js";
import type { AttackedStore } from "./attack.js";
import { attacks } from "./attacks.js";
import { measurer } from "./measureAttack.js";
import { boundFor, maxHoldMs } from "./referenceWork.js";

/** Below the bound of a fast machine, or clearly below that of this one: on a slow machine most attacks would be repeated twenty times to no end. */
const isClear = (cpuMs: number, runs: number) => cpuMs < maxHoldMs || cpuMs < (runs < 3 ? 0.7 : 0.9) * boundFor(cpuMs);

/** Makes each attack on a store and holds it to the bound. */
export function describeAttacks(store: AttackedStore): void {
  describe(`no request holds the event loop on ${store}`, () => {
    const processes = measurer(store);
    afterAll(() => processes.end());
    const made = attacks.filter(
      ({ stores, measuredOnly = [] }) => measuredOnly !== true && !measuredOnly.includes(store) && (stores === undefined || stores.includes(store)),
    );
    const chosen = sampled(made, `attacks on ${store}`);
    test.each(chosen.map((attack) => [attack.name, attack] as const))(`%s${sampleNote}`, { timeout: 240_000 }, async (_, attack) => {
      const { cpuMs } = await processes.measure(attack, isClear);
      expect(cpuMs, `The event loop was held for ${cpuMs.toFixed(1)} ms of processor time.`).toBeLessThan(boundFor(cpuMs));
    });
  });
}
