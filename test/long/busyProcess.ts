import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

// A neighbour for tests that run beside it: uses half of a core and writes small files to the disk, until the process that forked it disconnects or dies.
const busyMs = 20;
const folder = mkdtempSync(join(tmpdir(), "restwright-busy-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM", "disconnect"] as const) process.on(signal, () => process.exit());

for (let round = 0; process.connected; round++) {
  const until = performance.now() + busyMs;
  while (performance.now() < until);
  if (round % 5 === 0) writeDurably(join(folder, String(round % 50)));
  await sleep(busyMs);
}

function writeDurably(file: string): void {
  const descriptor = openSync(file, "w");
  writeSync(descriptor, Buffer.alloc(4_096));
  fsyncSync(descriptor);
  closeSync(descriptor);
}
