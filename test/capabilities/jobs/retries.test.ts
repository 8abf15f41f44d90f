import { ProblemError } from "restwright";
import { describe, expect, test } from "vitest";
import { HeldHandler, JobStage, settle } from "./stage.js";

const progress = { total: 10, counts: {} } as const;

describe("a job that fails", () => {
  test("is tried five times, after 5 s, 30 s, 2 min and 10 min, and then has failed", async () => {
    const stage = new JobStage();
    const id = await stage.create();
    const start = stage.clock.now();
    const tries: [atMs: number, attempts: number][] = [];
    const run = async ({ attempts }: { attempts: number }) => {
      tries.push([stage.clock.now() - start, attempts]);
      throw new Error("secret address of the database");
    };
    stage.runner(run).start();
    await stage.pass(1_000_000, 1_000);
    expect(tries).toEqual([
      [0, 0],
      [5_000, 1],
      [35_000, 2],
      [155_000, 3],
      [755_000, 4],
    ]);
    const { status, error } = await stage.get(id);
    expect([status, error]).toEqual([
      "failed",
      { code: "ATTEMPTS_EXHAUSTED", detail: "The job was tried 5 times in a row without getting any further." },
    ]);
    expect(stage.logged.filter(({ message }) => message === "A job failed.")).toHaveLength(5);
  });

  test("stays in processing while it rests", async () => {
    const stage = new JobStage();
    const id = await stage.create();
    stage.runner(() => Promise.reject(new Error("no"))).start();
    await stage.pass(2_000);
    expect((await stage.get(id)).status).toBe("processing");
  });

  test("goes on at its cursor, and is counted anew once a chunk was kept", async () => {
    const stage = new JobStage();
    const id = await stage.create();
    const seen: [cursor: unknown, attempts: number][] = [];
    stage
      .runner(async ({ cursor, attempts }, call) => {
        seen.push([cursor, attempts]);
        if (seen.length === 4) await call.advance(stage.store, { ...progress, processed: 5, cursor: 5 });
        throw new Error("again");
      })
      .start();
    await stage.pass(200_000, 1_000);
    expect(seen).toEqual([
      [undefined, 0],
      [undefined, 1],
      [undefined, 2],
      [undefined, 3],
      [5, 1],
      [5, 2],
    ]);
    expect((await stage.get(id)).attempts).toBe(2);
  });

  test("is not counted anew by a chunk that was rolled back", async () => {
    const stage = new JobStage();
    await stage.create();
    const attempts: number[] = [];
    const rolledBack = { ...stage.store, advance: async () => true };
    stage
      .runner(async (job, call) => {
        attempts.push(job.attempts);
        await call.advance(rolledBack, { ...progress, processed: 5, cursor: 5 });
        throw new Error("The transaction did not commit.");
      })
      .start();
    await stage.pass(1_000_000, 1_000);
    expect(attempts).toEqual([0, 1, 2, 3, 4]);
    expect((await stage.get("job1")).status).toBe("failed");
  });

  test("has failed at once when the client is at fault", async () => {
    const stage = new JobStage();
    const id = await stage.create();
    stage.runner(() => Promise.reject(new ProblemError("FORBIDDEN", "You may not do that any more."))).start();
    await settle();
    expect(await stage.get(id)).toMatchObject({ status: "failed", error: { code: "FORBIDDEN", detail: "You may not do that any more." } });
    expect(stage.logged).toEqual([]);
  });

  test("is tried again after a problem of 500 and above", async () => {
    const stage = new JobStage();
    const held = new HeldHandler();
    await stage.create();
    stage.runner(held.run).start();
    await settle();
    held.at().fail(new ProblemError("STORAGE_UNAVAILABLE", "Not now."));
    await stage.pass(5_000);
    expect(held.tries).toHaveLength(2);
  });

  test("is tried again when its handler throws instead of rejecting", async () => {
    const stage = new JobStage();
    await stage.create();
    let tries = 0;
    const run = () => {
      tries += 1;
      throw new TypeError("no promise");
    };
    stage.runner(run).start();
    await stage.pass(5_000);
    expect(tries).toBe(2);
  });

  test("has failed without a sixth try when five workers died of it", async () => {
    const stage = new JobStage();
    const id = await stage.create();
    for (let worker = 0; worker < 5; worker++) {
      await stage.store.claim({ types: ["test"], leaseMs: 1_000, max: 1, maxPerTenant: 1 });
      stage.clock.advance(1_001);
    }
    const held = new HeldHandler();
    stage.runner(held.run).start();
    await settle();
    expect(held.tries).toEqual([]);
    expect(await stage.get(id)).toMatchObject({ status: "failed", error: { code: "ATTEMPTS_EXHAUSTED" } });
  });

  test("is told how many tries have thrown or died since the last chunk that was kept, those that were given back not among them", async () => {
    const stage = new JobStage();
    await stage.create();
    const claim = { types: ["test"], leaseMs: 1_000, max: 1, maxPerTenant: 1 } as const;
    const { store, clock } = stage;
    // A process that is killed says nothing; its lease runs out.
    const [first] = await store.claim(claim);
    if (first !== undefined) await store.advance(first.lease, { ...progress, processed: 1, cursor: 1 });
    clock.advance(1_001);
    await store.claim(claim);
    clock.advance(1_001);
    const [third] = await store.claim(claim);
    if (third !== undefined) await store.release(third.lease, { delayMs: 0, failed: false });
    const [fourth] = await store.claim(claim);
    if (fourth !== undefined) await store.release(fourth.lease, { delayMs: 0, failed: true });
    const held = new HeldHandler();
    stage.runner(held.run).start();
    await settle();
    expect([third?.attempts, fourth?.attempts, held.at().job.attempts, held.at().job.cursor]).toEqual([2, 2, 3, 1]);
  });

  test("is done again when its end could not be kept", async () => {
    const stage = new JobStage();
    const id = await stage.create();
    let failures = 1;
    const finish: typeof stage.store.finish = (lease, end) => {
      if (failures-- > 0) return Promise.reject(new Error("disk full"));
      return stage.store.finish(lease, end);
    };
    stage.runner(async () => ({ status: "completed" }), { store: { ...stage.store, finish }, leaseMs: 6_000 }).start();
    await stage.pass(5_000);
    expect((await stage.get(id)).status).toBe("processing");
    expect(stage.logged.map(({ message }) => message)).toEqual(["Storing the result of a job failed; the job is tried again when its lease ends."]);
    await stage.pass(2_000);
    expect((await stage.get(id)).status).toBe("completed");
  });
});
