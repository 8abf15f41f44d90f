// @slow

import { expect, onTestFinished, test } from "vitest";
import { startAttackedProcess } from "./attackedProcess.js";
import { maxHoldMs } from "./referenceWork.js";

test("a hold of 80 ms is measured as one", async () => {
  const attacked = await startAttackedProcess("memory");
  onTestFinished(() => attacked.end());
  // The first turns of a process compile it.
  let idleMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5; run++) idleMs = Math.min(idleMs, (await attacked.measure(async () => {})).cpuMs);
  expect(idleMs).toBeLessThan(maxHoldMs);
  const held = await attacked.measure(() => attacked.hold(80));
  expect(held.cpuMs).toBeGreaterThan(70);
  expect(held.wallMs).toBeGreaterThan(70);
});
