// @slow

import { memoryBlobs, memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { sweepFiles } from "../../../../../src/capabilities/transfer/sweep.js";
import { Unavailable } from "../../../../../src/ground/storage/errors.js";
import { keysOf } from "../../../../adapters/stores/blobs/blobContents.js";
import { boundStorage, jobsOf } from "../../../../tools/storage/boundStorage.js";
import { jobOf } from "../../../batch/batchJobStage.js";
import { importService, importSide, ndjsonChunks } from "../importStage.js";
import { GatedBlobs } from "./importGate.js";

type Options = Parameters<typeof importService>[1];

function open(options: Options = {}, storage = memoryStorage()) {
  const gate = new GatedBlobs(memoryBlobs());
  const service = importService(storage, { blobs: gate.blobs, jobs: { pollMs: 5 }, ...options });
  onTestFinished(() => service.close({ graceMs: 0 }));
  return { service, gate, blobs: gate.blobs, ...importSide(service, storage) };
}

/** People with these numbers, in chunks; those below zero are wrong. */
const people = (...chunks: readonly (readonly number[])[]) =>
  ndjsonChunks(...chunks.map((numbers) => numbers.map((number) => ({ email: number < 0 ? "wrong" : `p${number}@x.test`, name: "Name" }))));

const count = async ({ send }: ReturnType<typeof open>) => (await send({ target: "/people?perPage=1" }, "admin")).json.meta.total;

async function progress(side: ReturnType<typeof open>, target: string) {
  for (;;) {
    const { json } = await side.send({ target });
    if (json.processedRows > 0) return json;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

describe("an import that ended for too many errors", () => {
  test("says where, and goes on there until there are as many again", async () => {
    const side = open();
    const target = jobOf(await side.submit("maxErrors=2", people([-1, -2, -3, 4], [5, -6], [7, -8])));
    const ended = await side.ended(target);
    expect([ended.status, ended.error]).toMatchObject(["failed", { code: "TOO_MANY_ERRORS", row: 4 }]);
    expect([ended.processedRows, ended.totalRows, ended.document["result"]]).toEqual([4, 8, { created: 1, updated: 0, skipped: 0, failed: 3 }]);
    expect([ended.document["resume"], (await keysOf(side.blobs)).length]).toEqual([{ row: 4, byte: expect.any(Number) }, 1]);

    const resumed = await side.send({ method: "POST", target: (ended.document["links"] as Record<string, string>)["resume"] ?? "" });
    expect([resumed.status, resumed.json.error, resumed.json.status]).toEqual([202, null, expect.stringMatching("queued|processing")]);
    const done = await side.ended(target);
    expect([done.status, done.document["result"], await count(side)]).toEqual(["completed", { created: 3, updated: 0, skipped: 0, failed: 5 }, 3]);
    const report = await side.send({ target: `${target}/errors`, headers: { accept: "application/json" } });
    expect(report.json.errors.map((error: { row: number }) => error.row)).toEqual([1, 2, 3, 6, 8]);
    expect([await keysOf(side.blobs), done.document["resume"]]).toEqual([[], undefined]);
    const again = await side.send({ method: "POST", target: `${target}/resume` });
    expect([again.status, again.json.code]).toEqual([409, "NOT_RESUMABLE"]);
  });

  test("can be gone on with by another file, from the row that it says", async () => {
    const side = open();
    const ended = await side.ended(await side.submit("maxErrors=0", people([1, -2], [3, 4, -5])));
    const { row } = ended.document["resume"] as { row: number };
    const job = await side.ended(await side.submit(`offset=${row}`, people([1, 2], [3, 4, 5])));
    expect([row, job.status, job.totalRows, job.document["result"], await count(side)]).toEqual([
      2,
      "completed",
      3,
      { created: 3, updated: 0, skipped: 0, failed: 0 },
      4,
    ]);
  });

  test("that had an offset says where with the rows that it passed over", async () => {
    const side = open();
    const waiting = await side.ended(await side.submit("maxErrors=0&offset=1", people([-1, -2], [3])));
    expect([waiting.document["resume"], waiting.totalRows, waiting.processedRows]).toMatchObject([{ row: 2 }, 2, 1]);
    const stopped = await side.ended(await side.submit("onError=stop&offset=1", people([-1, 2], [-3])));
    expect([stopped.error?.code, stopped.document["resume"]]).toMatchObject(["IMPORT_REJECTED", { row: 1 }]);
  });

  test("stays failed where its worker dies before it can say so", async () => {
    const inner = memoryStorage();
    const jobs = jobsOf(inner);
    let deaths = 0;
    const finish: typeof jobs.finish = (lease, end) =>
      ++deaths === 1 ? Promise.reject(new Unavailable("The worker died.")) : jobs.finish(lease, end);
    const side = open(listening, boundStorage(inner, { jobs: { ...jobs, finish } }));
    const target = jobOf(await side.submit("maxErrors=0", people([1, -2], [3])));
    const ended = await side.ended(target);
    expect([deaths, ended.status, ended.error?.code, await count(side)]).toEqual([2, "failed", "TOO_MANY_ERRORS", 1]);
    await side.send({ method: "POST", target: `${target}/resume` });
    expect([(await side.ended(target)).status, await count(side)]).toEqual(["completed", 2]);
  });
});

/** A worker that hears soon of a wish to cancel. */
const listening = { jobs: { leaseMs: 150, pollMs: 5 } };
const untilHeard = () => new Promise((resolve) => setTimeout(resolve, 80));

describe("an import that is canceled", () => {
  test("under way ends behind a chunk, and goes on from there", async () => {
    const side = open(listening);
    side.gate.shut();
    const target = jobOf(await side.submit("", people([1, 2], [3], [4])));
    const before = await progress(side, target);
    expect([before.status, before.links.cancel, await count(side)]).toEqual(["processing", `${target}/cancel`, before.processedRows]);
    expect((await side.send({ method: "POST", target: `${target}/cancel` })).status).toBe(202);
    await untilHeard();
    side.gate.open();
    const ended = await side.ended(target);
    expect([ended.status, ended.error?.code, ended.processedRows]).toEqual(["failed", "CANCELLED", before.processedRows]);
    expect(ended.document["resume"]).toMatchObject({ row: before.processedRows });
    expect((await side.send({ method: "POST", target: `${target}/resume` })).status).toBe(202);
    const done = await side.ended(target);
    expect([done.status, await count(side), await keysOf(side.blobs)]).toEqual(["completed", 4, []]);
  });

  test("by DELETE, and removed by another one, with its file and its errors", async () => {
    const side = open(listening);
    side.gate.shut();
    const target = jobOf(await side.submit("", people([1, -2], [3], [4])));
    await progress(side, target);
    expect((await side.send({ method: "DELETE", target })).status).toBe(202);
    await untilHeard();
    side.gate.open();
    await side.ended(target);
    expect(await keysOf(side.blobs)).toHaveLength(1);
    expect((await side.send({ method: "DELETE", target })).status).toBe(204);
    expect([(await side.send({ target })).status, (await side.send({ target: `${target}/errors` })).status, await keysOf(side.blobs)]).toEqual([
      404,
      404,
      [],
    ]);
  });

  test("while it waits has imported nothing", async () => {
    const side = open({ jobs: { work: false } });
    const target = jobOf(await side.submit("", people([1])));
    expect((await side.send({ method: "DELETE", target })).status).toBe(202);
    const { json } = await side.send({ target });
    expect([json.status, json.error.code, json.resume, json.links.resume]).toEqual(["failed", "CANCELLED", undefined, undefined]);
    expect((await side.send({ method: "POST", target: `${target}/resume` })).json.code).toBe("NOT_RESUMABLE");
    expect((await side.send({ method: "DELETE", target })).status).toBe(204);
    expect(await keysOf(side.blobs)).toEqual([]);
  });
});

describe("an import whose file is not there any more", () => {
  test.each<[string, (side: ReturnType<typeof open>, key: string) => Promise<void>, string]>([
    ["was removed", async ({ blobs }, key) => void (await blobs.delete(key)), "The file of the import no longer exists."],
    [
      "was replaced",
      async ({ blobs }, key) => {
        const writer = await blobs.open(key);
        await writer.write(Buffer.from("{}"));
        await writer.commit();
      },
      "The file of the import is not the one with which it began.",
    ],
  ])("fails with SOURCE_CHANGED: it %s", async (_, change, detail) => {
    const side = open();
    const target = jobOf(await side.submit("maxErrors=0", people([1, -2], [3])));
    await side.ended(target);
    const before = await count(side);
    const [key = ""] = await keysOf(side.blobs);
    await change(side, key);
    await side.send({ method: "POST", target: `${target}/resume` });
    const { status, error } = await side.ended(target);
    expect([status, error?.code, error?.detail, await count(side)]).toEqual(["failed", "SOURCE_CHANGED", detail, before]);
  });

  test("is swept a day after it failed", async () => {
    const side = open();
    await side.ended(await side.submit("maxErrors=0", people([-1])));
    const sweep = (nowMs: number) => sweepFiles({ blobs: side.blobs, jobs: jobsOf(side.storage), nowMs });
    expect([await sweep(Date.now() + 3_600_000), await sweep(Date.now() + 25 * 3_600_000)]).toEqual([0, 1]);
  });
});

describe("an import under way", () => {
  test("is given back where its service closes, and done by the next one", async () => {
    const storage = memoryStorage();
    const kept = boundStorage(storage, { close: async () => {} });
    const first = open({}, kept);
    first.gate.shut();
    const target = jobOf(await first.submit("", people([1, -2], [3], [4])));
    await progress(first, target);
    const closing = first.service.close({ graceMs: 1_000 });
    first.gate.open();
    await closing;
    const next = importService(kept, { blobs: first.blobs, jobs: { pollMs: 5 } });
    onTestFinished(() => next.close());
    await next.start();
    const side = importSide(next, kept, first.tenant);
    const done = await side.ended(target);
    expect([done.status, done.document["result"]]).toEqual(["completed", { created: 3, updated: 0, skipped: 0, failed: 1 }]);
    expect((await side.send({ target: "/people?perPage=1" }, "admin")).json.meta.total).toBe(3);
  });

  test("shows how far it is, and never all before it is", async () => {
    const side = open();
    side.gate.shut();
    const target = jobOf(await side.submit("", people([1, -2], [3, 4], [5], [6], [7, -8, 9], [10])));
    const seen: number[] = [];
    for (let status = ""; status !== "completed"; ) {
      const { json } = await side.send({ target });
      status = json.status;
      seen.push(json.progress);
      if (json.progress > 0) side.gate.open();
      expect(json.progress === 1).toBe(status === "completed");
      expect(json.totalRows).toBe(10);
      await new Promise(setImmediate);
    }
    expect(seen).toEqual([...seen].sort((left, right) => left - right));
    expect(seen.some((progress) => progress > 0 && progress < 1)).toBe(true);
  });
});
