import { memoryStorage } from "restwright/memory";
import { FakeClock, faultyStorage, ProcessDied } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { JobStore, NewJob } from "../../../../src/ground/storage/queue/jobs.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";

const job = (id: string): NewJob => ({ id, type: "import", tenant: undefined, owner: "ada", input: 1 });
const request = { types: ["import"], leaseMs: 1_000, max: 10, maxPerTenant: 10 } as const;

function jobsOf({ jobs }: Storage): JobStore {
  return jobs ?? expect.fail("The storage has no store of jobs.");
}

describe("the memory store's jobs", () => {
  test("cannot be written to in a transaction that only reads, though they can be read", async () => {
    const storage = memoryStorage();
    await jobsOf(storage).create(job("a"));
    const reading = storage.transaction?.(
      async (tx) => {
        expect((await jobsOf(tx).get("a"))?.status).toBe("queued");
        return jobsOf(tx).claim(request);
      },
      { readOnly: true },
    );
    await expect(reading).rejects.toThrow("read-only");
  });

  test("are read while a transaction is open, as they were before it", async () => {
    const storage = memoryStorage();
    await storage.transaction?.(async (tx) => {
      await jobsOf(tx).create(job("a"));
      expect(await jobsOf(storage).get("a")).toBeUndefined();
      expect(await jobsOf(storage).countQueued(undefined)).toBe(0);
    });
    expect(await jobsOf(storage).countQueued(undefined)).toBe(1);
  });

  test("are claimed in the order in which they came, in a transaction too, those of one instant among them", async () => {
    const storage = memoryStorage({ clock: new FakeClock() });
    for (const id of ["a", "b", "c"]) await jobsOf(storage).create(job(id));
    await storage.transaction?.(async (tx) => {
      const jobs = jobsOf(tx);
      await jobs.create(job("d"));
      const [first = expect.fail()] = await jobs.claim({ ...request, max: 1 });
      await jobs.release(first.lease, { delayMs: 0, failed: false });
      expect((await jobs.claim(request)).map(({ id }) => id)).toEqual(["a", "b", "c", "d"]);
    });
  });

  test("count as calls of a process that dies", async () => {
    const storage = memoryStorage();
    const dying = faultyStorage(storage, { dieAfter: 2, how: "after" });
    expect(await jobsOf(dying).create(job("a"))).toBe(true);
    await expect(jobsOf(dying).claim(request)).rejects.toThrow(ProcessDied);
    expect((await jobsOf(storage).get("a"))?.status).toBe("processing");
    await expect(jobsOf(dying).get("a")).rejects.toThrow(ProcessDied);
    expect(dying.calls).toBe(2);
  });
});
