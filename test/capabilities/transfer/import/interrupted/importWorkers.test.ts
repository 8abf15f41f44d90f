import { defineResource } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { keysOf } from "../../../../adapters/stores/blobs/blobContents.js";
import { boundStorage, jobsOf } from "../../../../tools/storage/boundStorage.js";
import { dyingStorage } from "../../../../tools/storage/dyingStorage.js";
import { jobOf } from "../../../batch/batchJobStage.js";
import { csv, type ImportSide, importService, importSide, ndjson, ndjsonChunks } from "../importStage.js";
import { GatedBlobs } from "./importGate.js";

const people = (...names: readonly string[]) => ndjson(...names.map((name, index) => ({ email: `p${index}@x.test`, name })));
const names = (count: number) => Array.from({ length: count }, (_, index) => `P${index}`);

async function errorsOf(side: ImportSide, target: string): Promise<unknown[]> {
  const { json } = await side.send({ target: `${target}/errors`, headers: { accept: "application/json" } });
  return json.errors.map(({ row, code }: { row: number; code: string }) => [row, code]);
}

describe("a row that", () => {
  test("kills its worker every time is left out, and no other", async () => {
    const storage = memoryStorage();
    const blobs = memoryBlobs();
    const watcher = importSide(importService(storage, { blobs, jobs: { work: false } }), storage);
    const target = jobOf(await watcher.submit("", people(...names(5), "Killer", ...names(4), "", ...names(3).map((name) => `Q${name}`))));
    let processes = 0;
    for (let status = ""; status !== "completed"; processes++) {
      expect(processes).toBeLessThan(12);
      const dying = dyingStorage(storage, (inserted) => inserted.includes("Killer"));
      const service = importService(dying, { blobs, jobs: { leaseMs: 5, pollMs: 1 } });
      await service.start();
      do {
        await new Promise((resolve) => setTimeout(resolve, 1));
        status = (await watcher.send({ target })).json.status;
      } while (!dying.isDead() && status !== "completed");
      await service.close({ graceMs: 0 });
    }
    const { document } = await watcher.ended(target);
    expect([document["status"], document["result"], await keysOf(blobs)]).toEqual([
      "completed",
      { created: 12, updated: 0, skipped: 0, failed: 2 },
      [],
    ]);
    expect(await errorsOf(watcher, target)).toEqual([
      [6, "WORKER_CRASHED"],
      [11, "VALIDATION_FAILED"],
    ]);
    expect(await watcher.rows()).toHaveLength(12);
  });

  test("makes the code of the service throw every time is left out, and no other", async () => {
    const clock = new FakeClock();
    const storage = memoryStorage({ clock });
    const throwing = z.string().refine((name) => {
      if (name === "Killer") throw new TypeError("Nobody thought of that.");
      return true;
    });
    const table = defineResource("people", { schema: z.object({ id: z.int(), name: throwing }), generated: { id: "increment" } });
    const service = importService(storage, { resources: [table], clock, timers: clock });
    onTestFinished(() => service.close({ graceMs: 0 }));
    const side = importSide(service, storage);
    const target = jobOf(await side.submit("", csv("name\nAda\nKiller\nBob\n")));
    for (let seconds = 0; seconds < 3_600; seconds += 5) {
      const { json } = await side.send({ target });
      if (json.status === "completed") break;
      clock.advance(5_000);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    }
    expect(await errorsOf(side, target)).toEqual([[2, "WORKER_CRASHED"]]);
    expect((await side.send({ target: "/people" })).json.data.map(({ name }: { name: string }) => name)).toEqual(["Ada", "Bob"]);
  });
});

describe("a worker that was taken over", () => {
  test.each(["", "&onError=stop"])("writes nothing more (%s)", async (query) => {
    const storage = memoryStorage();
    const inner = memoryBlobs();
    const gate = new GatedBlobs(inner);
    const jobs = jobsOf(storage);
    // It believes that it holds its lease.
    const deaf = boundStorage(storage, { jobs: { ...jobs, extend: async () => "held" }, close: async () => {} });
    // With one job at a time it cannot take its own job again when the lease has ended.
    const first = importService(deaf, { blobs: gate.blobs, jobs: { leaseMs: 20, pollMs: 5, concurrency: 1 } });
    onTestFinished(() => first.close({ graceMs: 0 }));
    gate.shut();
    const side = importSide(first, storage);
    const rows = [{ size: 1 }, { size: 2 }];
    // Nothing but the lease keeps rows without a key from being imported twice.
    const target = jobOf(await side.submit(`collection=nodes${query}`, ndjsonChunks(rows, rows, rows)));
    for (let tries = 0; tries < 10_000; tries++) {
      const { json } = await side.send({ target });
      if (json.progress > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const second = importService(boundStorage(storage, { close: async () => {} }), { blobs: inner, jobs: { pollMs: 5 } });
    await second.start();
    const done = await importSide(second, storage, side.tenant).ended(target);
    expect([done.status, done.document["result"]]).toEqual(["completed", { created: 6, updated: 0, skipped: 0, failed: 0 }]);
    gate.open();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await side.send({ target: "/nodes?perPage=1" })).json.meta.total).toBe(6);
    expect((await side.send({ target })).json).toMatchObject({ status: "completed", result: { created: 6 } });
    await second.close();
  });
});
