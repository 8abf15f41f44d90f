import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mainThreadCpu } from "./holdMeter.js";

/** What the reference work takes on the machine that the bound was set on, in milliseconds of processor time. */
const referenceMs = 7;
/** A machine that is slower than this cannot show that the bound holds. */
const maxSlowness = 3;

/** No work may hold the event loop for longer, in milliseconds of processor time. */
export const maxHoldMs = 50;

/** The bound for a measured hold: on a slower machine in proportion. Beyond the bound the machine is measured, which takes a tenth of a second. */
export function boundFor(heldMs: number): number {
  return heldMs < maxHoldMs ? maxHoldMs : maxHoldMs * machineSlowness();
}

/**
 * How many times as long as on the machine of the bound this one takes for the work that requests consist of: JSON, new objects, and pages of 4 KB that are written
 * to a file. The quickest of nine runs, at least 1 and at most 3.
 */
function machineSlowness(): number {
  const cpuMs = mainThreadCpu() ?? (() => performance.now());
  let quickest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 9; run++) {
    const before = cpuMs();
    work();
    quickest = Math.min(quickest, cpuMs() - before);
  }
  return Math.min(Math.max(quickest / referenceMs, 1), maxSlowness);
}

function work(): void {
  const rows = Array.from({ length: 4_000 }, (_, index) => ({ id: index, name: `name ${index}`, note: "n".repeat(100), tags: [index, index + 1] }));
  const copies = JSON.parse(JSON.stringify(rows)) as typeof rows;
  copies.sort((left, right) => right.id - left.id);
  const folder = mkdtempSync(join(tmpdir(), "reference-"));
  const file = openSync(join(folder, "pages"), "w");
  const page = Buffer.alloc(4_096, JSON.stringify(copies[0]));
  for (let count = 0; count < 1_000; count++) writeSync(file, page);
  closeSync(file);
  rmSync(folder, { recursive: true });
}
