import { describe, expect, test } from "vitest";
import { JobInterrupted } from "../../../src/capabilities/jobs/run/interruption.js";
import { LeaseLost } from "../../../src/capabilities/jobs/run/leaseLost.js";
import { HeldHandler, JobStage, settle } from "./stage.js";

const advance = { processed: 1, total: 10, counts: {}, cursor: 1 } as const;

/** A job under way, in the hands of a handler that the test holds. */
async function underWay(options: Parameters<JobStage["runner"]>[1] = {}) {
  const stage = new JobStage();
  const held = new HeldHandler();
  const id = await stage.create();
  const runner = stage.runner(held.run, options);
  runner.start();
  await settle();
  return { stage, held, id, runner };
}

const claim = { types: ["test"], leaseMs: 60_000, max: 1, maxPerTenant: 9 } as const;

describe("a job under way", () => {
  test("keeps its lease as long as its handler runs", async () => {
    const { stage, held, id } = await underWay();
    await stage.pass(600_000, 1_000);
    expect(await stage.store.claim(claim)).toEqual([]);
    held.at().end();
    await settle();
    expect((await stage.get(id)).status).toBe("completed");
  });

  test("keeps its lease when the store was down for one of the extensions", async () => {
    const stage = new JobStage();
    const held = new HeldHandler();
    await stage.create();
    let calls = 0;
    const extend: typeof stage.store.extend = (lease, ms) => (++calls === 1 ? Promise.reject(new Error("down")) : stage.store.extend(lease, ms));
    stage.runner(held.run, { store: { ...stage.store, extend } }).start();
    await stage.pass(90_000, 1_000);
    expect(await stage.store.claim(claim)).toEqual([]);
    expect(stage.logged.map(({ level }) => level)).toEqual(["warn"]);
  });
});

describe("cancelling", () => {
  test("ends a job under way as soon as its handler has stopped", async () => {
    const { stage, held, id } = await underWay();
    expect(await stage.store.cancel(id)).toBe("requested");
    await stage.pass(20_000);
    const { signal } = held.at().call;
    expect([signal.reason instanceof JobInterrupted, signal.reason.why]).toEqual([true, "canceled"]);
    expect((await stage.get(id)).status).toBe("processing");
    held.at().fail(signal.reason);
    await settle();
    expect(await stage.get(id)).toMatchObject({ status: "failed", error: { code: "CANCELLED", detail: "The job was canceled." } });
    expect(stage.logged).toEqual([]);
  });

  test("is heard of within a second after a chunk", async () => {
    const { stage, held, id } = await underWay();
    await stage.pass(5_000);
    await stage.store.cancel(id);
    await held.at().call.advance(stage.store, advance);
    await stage.pass(1_000);
    expect(held.at().call.signal.aborted).toBe(true);
  });

  test("keeps what the handler has to say of the part that it did", async () => {
    const { stage, held, id } = await underWay();
    await stage.store.cancel(id);
    await stage.pass(20_000);
    held.at().end({ status: "failed", error: { code: "STOPPED", detail: "It was stopped." }, result: { created: 3 } });
    await settle();
    expect(await stage.get(id)).toMatchObject({ status: "failed", error: { code: "CANCELLED" }, result: { created: 3 } });
  });

  test.each([
    ["its handler has not heard of", 0],
    ["its handler has heard of", 20_000],
  ])("leaves a job completed that was completed all the same, by a wish that %s", async (_, passedMs) => {
    const { stage, held, id } = await underWay();
    await stage.store.cancel(id);
    await stage.pass(passedMs);
    expect(held.at().call.signal.aborted).toBe(passedMs > 0);
    held.at().end({ status: "completed", result: { created: 3 } });
    await settle();
    expect(await stage.get(id)).toMatchObject({ status: "completed", error: undefined, result: { created: 3 } });
    expect(await stage.store.cancel(id)).toBe("finished");
  });

  test("ends a job that waits for its next try without another one", async () => {
    const { stage, held, id } = await underWay();
    held.at().fail(new Error("no"));
    await settle();
    await stage.store.cancel(id);
    await stage.pass(1_000);
    expect(held.tries).toHaveLength(1);
    expect(await stage.get(id)).toMatchObject({ status: "failed", error: { code: "CANCELLED" } });
  });

  test("ends a job that nobody has begun in the store itself", async () => {
    const stage = new JobStage();
    const id = await stage.create();
    await stage.store.cancel(id);
    const held = new HeldHandler();
    stage.runner(held.run).start();
    await stage.pass(1_000);
    expect(held.tries).toEqual([]);
    expect((await stage.get(id)).error?.code).toBe("CANCELLED");
  });
});

describe("a lost lease", () => {
  /** A worker whose timers stand still, as those of a stopped process do, until another has claimed its job. */
  async function takenOver() {
    const { stage, held, id } = await underWay({ timers: { setTimeout: () => ({ cancel() {} }) } });
    stage.clock.advance(60_001);
    const [job] = await stage.store.claim(claim);
    if (job === undefined) throw new Error("The job could not be taken over.");
    return { stage, held, id, job };
  }

  test("makes the first worker's next chunk fail and stops it", async () => {
    const { stage, held, id, job } = await takenOver();
    const { call } = held.at();
    await expect(call.advance(stage.store, advance)).rejects.toBeInstanceOf(LeaseLost);
    expect(call.signal.reason).toBeInstanceOf(LeaseLost);
    await expect(call.advance(stage.store, advance)).rejects.toBeInstanceOf(LeaseLost);
    held.at().fail(call.signal.reason);
    await settle();
    expect(await stage.get(id)).toMatchObject({ status: "processing", attempts: 1, processed: 0 });
    expect(await stage.store.finish(job.lease, { status: "completed" })).toBe(true);
  });

  test("leaves nothing of what the first worker says at its end", async () => {
    const { stage, held, id, job } = await takenOver();
    held.at().end({ status: "completed", result: "of the first" });
    await settle();
    expect((await stage.get(id)).status).toBe("processing");
    await stage.store.finish(job.lease, { status: "completed", result: "of the second" });
    expect((await stage.get(id)).result).toBe("of the second");
  });

  test("is noticed by the next extension, and nothing is written any more", async () => {
    const stage = new JobStage();
    const held = new HeldHandler();
    await stage.create();
    const writes: string[] = [];
    const store = {
      ...stage.store,
      extend: async () => "lost" as const,
      finish: async () => writes.push("finish") > 0,
      release: async () => writes.push("release") > 0,
    };
    stage.runner(held.run, { store }).start();
    await stage.pass(20_000);
    expect(held.at().call.signal.reason).toBeInstanceOf(LeaseLost);
    held.at().end();
    await settle();
    expect(writes).toEqual([]);
  });
});

describe("closing", () => {
  test("asks handlers to stop, and gives their jobs back at once without counting the try", async () => {
    const { stage, held, id, runner } = await underWay();
    await held.at().call.advance(stage.store, advance);
    const closing = runner.close({ graceMs: 5_000 });
    const { signal } = held.at().call;
    expect(signal.reason.why).toBe("closing");
    held.at().fail(signal.reason);
    await closing;
    expect(await stage.get(id)).toMatchObject({ status: "processing", processed: 1 });
    const [job] = await stage.store.claim(claim);
    expect(job).toMatchObject({ id, attempts: 0, cursor: 1 });
    expect(stage.clock.pending).toBe(0);
    expect(stage.logged).toEqual([]);
  });

  test("keeps the end of a job that is done within the grace", async () => {
    const { stage, held, id, runner } = await underWay();
    const closing = runner.close({ graceMs: 5_000 });
    await stage.pass(4_000);
    held.at().end();
    await closing;
    expect((await stage.get(id)).status).toBe("completed");
  });

  test("waits no longer than the grace, and listens to no handler after it", async () => {
    const { stage, held, id, runner } = await underWay();
    let isClosed = false;
    const closing = runner.close({ graceMs: 5_000 }).then(() => {
      isClosed = true;
    });
    await stage.pass(4_750);
    expect(isClosed).toBe(false);
    await stage.pass(250);
    await closing;
    expect(stage.clock.pending).toBe(0);
    const [job] = await stage.store.claim(claim);
    expect(job).toMatchObject({ id, attempts: 0 });
    await expect(held.at().call.advance(stage.store, advance)).rejects.toBeInstanceOf(LeaseLost);
    held.at().end();
    await settle();
    expect((await stage.get(id)).status).toBe("processing");
  });

  test("gives back what a claim brings that was under way", async () => {
    const stage = new JobStage();
    const id = await stage.create();
    let answer: (() => void) | undefined;
    const store = {
      ...stage.store,
      claim: async (request: Parameters<typeof stage.store.claim>[0]) => {
        const jobs = await stage.store.claim(request);
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return jobs;
      },
    };
    const held = new HeldHandler();
    const runner = stage.runner(held.run, { store });
    runner.start();
    await settle();
    const closing = runner.close({ graceMs: 5_000 });
    answer?.();
    await closing;
    expect(held.tries).toEqual([]);
    const [job] = await stage.store.claim(claim);
    expect(job).toMatchObject({ id, attempts: 0 });
  });

  test("claims nothing more", async () => {
    const { stage, held, runner } = await underWay();
    held.at().end();
    await settle();
    await runner.close();
    const id = await stage.create();
    runner.wake();
    runner.start();
    await stage.pass(10_000);
    expect((await stage.get(id)).status).toBe("queued");
  });

  test("may be asked for twice", async () => {
    const { held, runner } = await underWay();
    const closing = Promise.all([runner.close({ graceMs: 5_000 }), runner.close({ graceMs: 0 })]);
    held.at().end();
    await expect(closing).resolves.toHaveLength(2);
  });
});
