import { ConfigurationError } from "restwright";
import { describe, expect, test } from "vitest";
import { eventually } from "../../tools/eventually.js";
import { HeldHandler, JobStage, settle } from "./stage.js";

describe("a job runner", () => {
  test("does what waits when it starts, and keeps what the handler makes of it", async () => {
    const stage = new JobStage();
    const id = await stage.create({ input: { rows: 3 } });
    stage.runner(async ({ input }) => ({ status: "completed", result: { input } })).start();
    await settle();
    expect(await stage.get(id)).toMatchObject({ status: "completed", result: { input: { rows: 3 } }, attempts: 0 });
  });

  test("keeps a failure that the handler reports, with its row and its result", async () => {
    const stage = new JobStage();
    const id = await stage.create();
    const error = { code: "TOO_MANY_ERRORS", detail: "Too many rows are wrong.", row: 7 };
    stage.runner(async () => ({ status: "failed", error, result: { created: 6 } })).start();
    await settle();
    expect(await stage.get(id)).toMatchObject({ status: "failed", error, result: { created: 6 } });
  });

  test("finds a job by polling when nobody wakes it", async () => {
    const stage = new JobStage();
    stage.runner(async () => ({ status: "completed" })).start();
    await settle();
    const id = await stage.create();
    await stage.pass(750);
    expect((await stage.get(id)).status).toBe("queued");
    await stage.pass(250);
    expect((await stage.get(id)).status).toBe("completed");
  });

  test("looks at once when it is woken", async () => {
    const stage = new JobStage();
    const runner = stage.runner(async () => ({ status: "completed" }));
    runner.start();
    await settle();
    const id = await stage.create();
    runner.wake();
    await settle();
    expect((await stage.get(id)).status).toBe("completed");
  });

  test("does nothing before it starts, woken or not", async () => {
    const stage = new JobStage();
    const id = await stage.create();
    stage.runner(async () => ({ status: "completed" })).wake();
    await stage.pass(2_000);
    expect((await stage.get(id)).status).toBe("queued");
  });

  test("does no more jobs at a time than it may, and goes on as soon as one has ended", async () => {
    const stage = new JobStage();
    const held = new HeldHandler();
    const ids: string[] = [];
    for (const tenant of ["a", "b", "c", "d"]) {
      ids.push(await stage.create({ tenant }));
      stage.clock.advance(1);
    }
    stage.runner(held.run, { concurrency: 2 }).start();
    await stage.pass(5_000);
    expect(held.ids).toEqual(ids.slice(0, 2));
    held.at(1).end();
    await settle();
    expect(held.ids).toEqual(ids.slice(0, 3));
    held.at(0).end();
    held.at(2).end();
    await settle();
    expect(held.ids).toEqual(ids);
  });

  test("has room for two jobs beside those of one tenant, unless told otherwise", async () => {
    for (const [options, ofBusy, all] of [
      [{}, 2, 4],
      [{ maxPerTenant: 3 }, 3, 5],
    ] as const) {
      const stage = new JobStage();
      const held = new HeldHandler();
      for (let index = 0; index < 10; index++) await stage.create({ tenant: "busy" });
      stage.runner(held.run, options).start();
      await settle();
      expect(held.tries).toHaveLength(ofBusy);
      for (const tenant of ["x", "y", "z"]) await stage.create({ tenant });
      await stage.pass(2_000);
      expect(held.tries).toHaveLength(all);
    }
  });

  test.each([1, 2])("lets tenants take turns if it has room for %d jobs, however long the queue of one is", async (concurrency) => {
    const stage = new JobStage();
    const held = new HeldHandler();
    for (const tenant of ["a", "b"]) for (let index = 0; index < 20; index++) await stage.create({ tenant });
    stage.runner(held.run, { concurrency }).start();
    await stage.pass(1_000);
    const late = await stage.create({ tenant: "c" });
    for (let ended = 0; ended < 3; ended++) {
      held.at(ended).end();
      await settle();
    }
    expect(held.ids).toContain(late);
    expect(held.tries.filter(({ job }) => job.tenant === "b").length).toBeGreaterThan(0);
  });

  test("does no more jobs of one tenant at a time than it may, those of other workers counted", async () => {
    const stage = new JobStage();
    const [first, second] = [new HeldHandler(), new HeldHandler()];
    for (let index = 0; index < 4; index++) await stage.create({ tenant: "busy" });
    const other = await stage.create({ tenant: "calm" });
    stage.runner(first.run, { concurrency: 1 }).start();
    await settle();
    stage.runner(second.run, { concurrency: 3 }).start();
    await stage.pass(3_000);
    expect(first.tries).toHaveLength(1);
    expect(second.tries).toHaveLength(2);
    expect(second.ids).toContain(other);
  });

  test("leaves jobs of other types to others", async () => {
    const stage = new JobStage();
    const id = await stage.create({ type: "import" });
    const held = new HeldHandler();
    stage.runner(held.run).start();
    await stage.pass(2_000);
    expect(held.tries).toEqual([]);
    expect((await stage.get(id)).status).toBe("queued");
  });

  test("polls at instants that differ from worker to worker", async () => {
    const stage = new JobStage();
    const asked: number[] = [];
    const start = stage.clock.now();
    const claim = async () => {
      asked.push(stage.clock.now() - start);
      return [];
    };
    const store = { ...stage.store, claim };
    stage.runner(async () => ({ status: "completed" }), { store, random: () => 0, pollMs: 4_000 }).start();
    stage.runner(async () => ({ status: "completed" }), { store, random: () => 0.75, pollMs: 4_000 }).start();
    await stage.pass(6_000);
    expect(asked).toEqual([0, 0, 3_000, 4_500, 6_000]);
  });

  test("says once that the store is down, and goes on when it is up again", async () => {
    const stage = new JobStage();
    const id = await stage.create();
    let isDown = true;
    const store = { ...stage.store, claim: (request: never) => (isDown ? Promise.reject(new Error("down")) : stage.store.claim(request)) };
    stage.runner(async () => ({ status: "completed" }), { store }).start();
    await stage.pass(10_000);
    expect(stage.logged.map(({ level, message }) => `${level} ${message}`)).toEqual(["error Claiming jobs failed; the next poll retries."]);
    isDown = false;
    await stage.pass(1_000);
    expect((await stage.get(id)).status).toBe("completed");
    isDown = true;
    await stage.pass(3_000);
    expect(stage.logged).toHaveLength(2);
  });

  test("removes jobs that ended a week ago, however many", async () => {
    const stage = new JobStage();
    for (let index = 0; index < 1_200; index++) await stage.create({ tenant: String(index) });
    const runner = stage.runner(async () => ({ status: "completed" }), { concurrency: 1_200, sweepMs: 86_400_000, pollMs: 86_400_000 });
    runner.start();
    // The runner yields to the event loop by time, so the number of turns and the order in which jobs end depend on the machine.
    for (let number = 1; number <= 1_200; number++)
      await eventually(async () => expect((await stage.store.get(`job${number}`))?.status).toBe("completed"));
    const [day, rounds] = [86_400_000, 7];
    await stage.pass(rounds * day, day);
    expect(await stage.store.get("job1")).toBeDefined();
    await stage.pass(day, day);
    for (const id of ["job1", "job600", "job1200"]) await eventually(async () => expect(await stage.store.get(id)).toBeUndefined());
  });

  test.each([
    ["concurrency", 0],
    ["pollMs", 0.5],
    ["leaseMs", Number.NaN],
    ["maxPerTenant", -1],
  ])("cannot be made with %s %d", (name, value) => {
    expect(() => new JobStage().runner([], { [name]: value })).toThrow(ConfigurationError);
  });

  test("cannot be made with two handlers of one type", () => {
    const handler = { type: "test", run: new HeldHandler().run };
    expect(() => new JobStage().runner([handler, handler])).toThrow('Each type of job has one handler; got "test", "test".');
  });
});
