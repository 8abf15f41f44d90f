import { gzipSync } from "node:zlib";
import type { BlobStore, Service, Storage } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { keysOf } from "../../../adapters/stores/blobs/blobContents.js";
import type { FullServiceOptions } from "../../../tools/fullService.js";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
import { boundStorage, jobsOf } from "../../../tools/storage/boundStorage.js";
import { jobOf } from "../../batch/batchJobStage.js";
import { csv, type ImportSide, importService, importSide } from "./importStage.js";

const key = { "idempotency-key": "0123456789abcdef" };
const good = "email,name\nada@x.test,Ada\nx,\n";
const other = "email,name\nbob@x.test,Bob\n";

function open(storage: Storage, options: Partial<FullServiceOptions> = {}): ImportSide & { service: Service; blobs: BlobStore } {
  const blobs = memoryBlobs();
  const service = importService(storage, { blobs, ...options });
  onTestFinished(() => service.close({ graceMs: 0 }));
  return { ...importSide(service, storage), service, blobs };
}

describe.each(storagePlaces.filter(([name]) => name !== "SQLite in a file"))("an Idempotency-Key makes one import on %s", (_, place) => {
  test("at once: the same file is answered the same, another is refused", async () => {
    const side = open((await place()).open());
    const answers = [
      await side.now("", csv(good, key)),
      await side.now("", csv(good, key)),
      await side.now("", csv(gzipSync(good), { ...key, "content-encoding": "gzip" })),
    ];
    expect(answers.map(({ status, text }) => [status, text])).toEqual([1, 2, 3].map(() => [200, answers[0]?.text]));
    expect(answers.map(({ headers }) => headers["idempotent-replayed"])).toEqual([undefined, "true", "true"]);
    const reused = [await side.now("", csv(other, key)), await side.now("mode=upsert&key=email", csv(good, key))];
    expect(reused.map(({ json }) => json.code)).toEqual(["IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_KEY_REUSED"]);
    expect(await side.rows()).toHaveLength(1);
  });

  test("at once, also where it ended for too many errors: what stayed is not imported again", async () => {
    const side = open((await place()).open());
    const [first, second] = [await side.now("maxErrors=0", csv(good, key)), await side.now("maxErrors=0", csv(good, key))];
    expect([first.status, first.json.code, first.json.result.created]).toEqual([422, "TOO_MANY_ERRORS", 1]);
    expect([second.text, second.headers["idempotent-replayed"]]).toEqual([first.text, "true"]);
    expect(await side.rows()).toHaveLength(1);
  });

  test("as a job: one job, one file", async () => {
    const side = open((await place()).open());
    const [first, second] = [await side.submit("", csv(good, key)), await side.submit("", csv(good, key))];
    expect([first.status, second.status, jobOf(second)]).toEqual([202, 202, jobOf(first)]);
    const third = await side.submit("", csv(other, key));
    expect([third.status, third.json.code]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
    const { document } = await side.ended(first);
    expect(document["result"]).toEqual({ created: 1, updated: 0, skipped: 0, failed: 1 });
    expect([await keysOf(side.blobs), await side.rows()]).toMatchObject([[], [{ name: "Ada" }]]);
  });

  test("can be used again for a file that was refused", async () => {
    const side = open((await place()).open());
    for (const [send, status] of [
      [side.now, 422],
      [side.submit, 202],
    ] as const) {
      const headers = { "idempotency-key": `refused-before-${status}` };
      expect((await send("", csv("email\n", headers))).status).toBe(422);
      expect((await send("onError=stop", csv(good, headers))).status).toBe(status);
      expect((await send("", csv(other, headers))).status).toBe(status === 422 ? 200 : 422);
    }
  });
});

describe("a repeated request", () => {
  test("finds its job where the answer was lost with a process, and leaves no second file", async () => {
    const inner = memoryStorage();
    // Records elsewhere: a job may be there and the answer to its request not.
    const records = memoryStorage().idempotency;
    if (records === undefined) throw new Error("Memory keeps records.");
    let deaths = 0;
    const complete: typeof records.complete = (...call) =>
      deaths++ === 0 ? Promise.reject(new Error("The process died.")) : records.complete(...call);
    const store = new Proxy(records, {
      get(target, member) {
        const value: unknown = member === "complete" ? complete : Reflect.get(target, member, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const side = open(inner, { idempotency: { store, leaseMs: 1 }, jobs: { work: false } });
    const first = await side.submit("", csv(good, key));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await side.submit("", csv(good, key));
    expect([deaths, jobOf(second)]).toEqual([2, jobOf(first)]);
    expect(await keysOf(side.blobs)).toHaveLength(1);
  });

  test("with Prefer: respond-async is one job for as long as there is that job", async () => {
    const clock = new FakeClock();
    const side = open(memoryStorage({ clock }), { clock, timers: clock, jobs: { work: false } });
    const headers = { ...key, prefer: "respond-async" };
    const first = await side.now("", csv(good, headers));
    clock.advance(3 * 86_400_000);
    const again = await side.now("", csv(good, headers));
    expect([again.status, again.headers["idempotent-replayed"], jobOf(again)]).toEqual([202, "true", jobOf(first)]);
    expect((await side.now("", csv(other, headers))).json.code).toBe("IDEMPOTENCY_KEY_REUSED");
    expect(await keysOf(side.blobs)).toHaveLength(1);
  });
});

describe("the same file within a day", () => {
  test("is imported again, with a warning that names the first import", async () => {
    const clock = new FakeClock();
    const side = open(memoryStorage({ clock }), { clock, timers: clock });
    const first = await side.submit("", csv(good));
    expect(first.json.warnings).toBeUndefined();
    const again = await side.submit("mode=upsert&key=email", csv(good));
    expect(again.json.warnings).toEqual([{ code: "SAME_FILE", importId: first.json.id }]);
    expect(jobOf(again)).not.toBe(jobOf(first));
    expect((await side.submit("", csv(gzipSync(good), { "content-encoding": "gzip" }))).json.warnings).toHaveLength(1);
    // Another file, another principal, a key that says what is meant.
    expect((await side.submit("", csv(other))).json.warnings).toBeUndefined();
    expect((await side.submit("", csv(good), "bob")).json.warnings).toBeUndefined();
    expect((await side.submit("", csv(good, key))).json.warnings).toBeUndefined();
    clock.advance(86_400_001);
    expect((await side.submit("", csv(good))).json.warnings).toBeUndefined();
  });

  test("is not where it was only tried, refused, or its import was removed", async () => {
    const side = open(memoryStorage());
    await side.submit("dryRun=true", csv(good));
    const first = await side.submit("", csv(good));
    expect(first.json.warnings).toBeUndefined();
    await side.ended(first);
    await side.send({ method: "DELETE", target: jobOf(first) });
    expect((await side.submit("", csv(good))).json.warnings).toBeUndefined();
  });

  test("is not where there was no room for its job", async () => {
    const side = open(memoryStorage(), { jobs: { work: false, maxQueuedPerTenant: 1 } });
    const waiting = await side.submit("", csv(other));
    const refused = await side.submit("", csv(good));
    expect([refused.status, refused.json.code, (await keysOf(side.blobs)).length]).toEqual([429, "TOO_MANY_JOBS", 1]);
    await side.send({ method: "DELETE", target: jobOf(waiting) });
    const accepted = await side.submit("", csv(good));
    expect([accepted.status, accepted.json.warnings]).toEqual([202, undefined]);
  });

  test("is imported though nobody can look it up", async () => {
    const inner = memoryStorage();
    const { idempotency } = inner;
    if (idempotency === undefined) throw new Error("Memory keeps records.");
    const failing = new Proxy(idempotency, {
      get: (target, member) => (member === "begin" ? () => Promise.reject(new Error("The store is down.")) : Reflect.get(target, member, target)),
    });
    const side = open(boundStorage(inner, { idempotency: failing }));
    const accepted = await side.submit("", csv(good));
    expect([accepted.status, accepted.json.warnings]).toEqual([202, undefined]);
    expect((await side.ended(accepted)).status).toBe("completed");
    expect(await jobsOf(inner).countQueued(side.tenant)).toBe(0);
  });
});
