import { memoryBlobs, memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { Unavailable } from "../../src/storage/errors.js";
import { sweepFiles } from "../../src/transfer/sweep.js";
import { jobOf } from "./batchJobStage.js";
import { boundStorage, jobsOf } from "./boundStorage.js";
import { GatedBlobs, keysOf } from "./importGate.js";
import { csv, importService, importSide } from "./importStage.js";

type Options = Parameters<typeof importService>[1];

function open(options: Options = {}, storage = memoryStorage()) {
  const gate = new GatedBlobs(memoryBlobs());
  const service = importService(storage, { blobs: gate.blobs, jobs: { pollMs: 5 }, ...options });
  onTestFinished(() => service.close({ graceMs: 0 }));
  return { service, gate, blobs: gate.blobs, ...importSide(service, storage) };
}

/** So long that a hundred rows are a chunk. */
const padding = "-".repeat(5_200);
const ignoring = "unknownColumns=ignore";

/** So many rows; those with these numbers are wrong. */
function rows(count: number, ...wrong: readonly number[]): string {
  const lines = Array.from({ length: count }, (_, index) => `${wrong.includes(index + 1) ? "wrong" : `p${index + 1}@example.test`},Name,${padding}`);
  return `email,name,padding\n${lines.join("\n")}\n`;
}

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
    const target = jobOf(await side.submit(`${ignoring}&maxErrors=2`, csv(rows(350, 1, 2, 3, 200, 340))));
    const ended = await side.ended(target);
    const { row } = ended.error as { row?: number } & NonNullable<typeof ended.error>;
    expect([ended.status, ended.error?.code, ended.document["resume"]]).toEqual(["failed", "TOO_MANY_ERRORS", { row, byte: expect.any(Number) }]);
    expect([ended.processedRows, ended.totalRows, ended.document["result"]]).toEqual([
      row,
      350,
      { created: Number(row) - 3, updated: 0, skipped: 0, failed: 3 },
    ]);
    expect(await keysOf(side.blobs)).toHaveLength(1);

    const resumed = await side.send({ method: "POST", target: (ended.document["links"] as Record<string, string>)["resume"] ?? "" });
    expect([resumed.status, resumed.json.error, resumed.json.status]).toEqual([202, null, expect.stringMatching("queued|processing")]);
    const done = await side.ended(target);
    expect([done.status, done.document["result"], await count(side)]).toEqual([
      "completed",
      { created: 345, updated: 0, skipped: 0, failed: 5 },
      345,
    ]);
    const report = await side.send({ target: `${target}/errors`, headers: { accept: "application/json" } });
    expect(report.json.errors.map((error: { row: number }) => error.row)).toEqual([1, 2, 3, 200, 340]);
    expect([await keysOf(side.blobs), done.document["resume"]]).toEqual([[], undefined]);
    const again = await side.send({ method: "POST", target: `${target}/resume` });
    expect([again.status, again.json.code]).toEqual([409, "NOT_RESUMABLE"]);
  });

  test("can be gone on with by another file, from the row that it says", async () => {
    const side = open();
    const ended = await side.ended(await side.submit(`${ignoring}&maxErrors=0`, csv(rows(250, 7))));
    const { row } = ended.document["resume"] as { row: number };
    const job = await side.ended(await side.submit(`${ignoring}&offset=${row}`, csv(rows(250))));
    expect([job.status, job.totalRows, job.document["result"], await count(side)]).toEqual([
      "completed",
      250 - row,
      { created: 250 - row, updated: 0, skipped: 0, failed: 0 },
      249,
    ]);
  });

  test("stays failed where its worker dies before it can say so", async () => {
    const inner = memoryStorage();
    const jobs = jobsOf(inner);
    let deaths = 0;
    const finish: typeof jobs.finish = (lease, end) =>
      ++deaths === 1 ? Promise.reject(new Unavailable("The worker died.")) : jobs.finish(lease, end);
    const side = open(listening, boundStorage(inner, { jobs: { ...jobs, finish } }));
    const ended = await side.ended(await side.submit(`${ignoring}&maxErrors=0`, csv(rows(250, 7))));
    expect([deaths, ended.status, ended.error?.code]).toEqual([2, "failed", "TOO_MANY_ERRORS"]);
    expect(await count(side)).toBe(ended.processedRows - 1);
    await side.send({ method: "POST", target: `${ended.document["links"] && (ended.document["links"] as Record<string, string>)["resume"]}` });
    expect((await side.ended(`/imports/${ended.document["id"]}`)).status).toBe("completed");
    expect(await count(side)).toBe(249);
  });
});

/** A worker that hears soon of a wish to cancel. */
const listening = { jobs: { leaseMs: 150, pollMs: 5 } };
const untilHeard = () => new Promise((resolve) => setTimeout(resolve, 80));

describe("an import that is canceled", () => {
  test("under way ends behind a chunk, and goes on from there", async () => {
    const side = open(listening);
    side.gate.shut();
    const target = jobOf(await side.submit(ignoring, csv(rows(300))));
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
    expect([done.status, await count(side), await keysOf(side.blobs)]).toEqual(["completed", 300, []]);
  });

  test("by DELETE, and removed by another one, with its file and its errors", async () => {
    const side = open(listening);
    side.gate.shut();
    const target = jobOf(await side.submit(ignoring, csv(rows(300, 1))));
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
    const target = jobOf(await side.submit(ignoring, csv(rows(3))));
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
    ["was removed", async ({ blobs }, key) => void (await blobs.delete(key)), "The file of the import is not there any more."],
    [
      "was replaced",
      async ({ blobs }, key) => {
        const writer = await blobs.open(key);
        await writer.write(Buffer.from(rows(3)));
        await writer.commit();
      },
      "The file of the import is not the one that it began with.",
    ],
  ])("fails with SOURCE_CHANGED: it %s", async (_, change, detail) => {
    const side = open();
    const target = jobOf(await side.submit(`${ignoring}&maxErrors=0`, csv(rows(250, 7))));
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
    await side.ended(await side.submit(`${ignoring}&maxErrors=0`, csv(rows(3, 1))));
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
    const target = jobOf(await first.submit(ignoring, csv(rows(300, 5))));
    await progress(first, target);
    const closing = first.service.close({ graceMs: 1_000 });
    first.gate.open();
    await closing;
    const next = importService(kept, { blobs: first.blobs, jobs: { pollMs: 5 } });
    onTestFinished(() => next.close());
    await next.start();
    const side = importSide(next, kept, first.tenant);
    const done = await side.ended(target);
    expect([done.status, done.document["result"]]).toEqual(["completed", { created: 299, updated: 0, skipped: 0, failed: 1 }]);
    expect((await side.send({ target: "/people?perPage=1" }, "admin")).json.meta.total).toBe(299);
  });

  test("shows how far it is, and never all before it is", async () => {
    const side = open();
    const target = jobOf(await side.submit(ignoring, csv(rows(600, 1, 2))));
    const seen: number[] = [];
    for (let status = ""; status !== "completed"; ) {
      const { json } = await side.send({ target });
      status = json.status;
      seen.push(json.progress);
      expect(json.progress === 1).toBe(status === "completed");
      expect(json.totalRows).toBe(600);
      await new Promise(setImmediate);
    }
    expect(seen).toEqual([...seen].sort((left, right) => left - right));
    expect(new Set(seen).size).toBeGreaterThan(3);
  });
});
