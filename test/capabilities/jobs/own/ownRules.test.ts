import { problem, type Storage } from "restwright";
import { job } from "restwright/jobs";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { expect, test } from "vitest";
import { eventually } from "../../../tools/eventually.js";
import { notes, ownStage } from "./ownStage.js";

const minute = 60_000;

/** A stage whose clock a test turns. */
function timedStage<const H extends Parameters<typeof ownStage>[0]["handlers"]>(handlers: H, options: Partial<Parameters<typeof ownStage>[0]> = {}) {
  const clock = new FakeClock();
  const storage: Storage = memoryStorage({ clock });
  return { clock, storage, ...ownStage({ storage, ...options, handlers, service: { clock, timers: clock, ...options.service } }) };
}

test("progress that is no checkpoint leaves the attempts as they are, so that a job ends that always fails at the same place", async () => {
  let runs = 0;
  const stuck = job({
    async run({ progress, checkpoint }) {
      runs += 1;
      for (let done = 1; done <= 50; done += 1) {
        clock.advance(100);
        await progress(done, 100);
      }
      await checkpoint("the same place");
      throw new Error("always here");
    },
  });
  // No lease ends while the test turns the clock.
  const { clock, service, ended } = timedStage({ stuck }, { leaseMs: 24 * 60 * minute });
  const { id } = await service.jobs.enqueue("stuck");
  await eventually(() => {
    clock.advance(minute);
    expect(runs).toBe(5);
  });
  expect(await ended(id)).toMatchObject({ error: { code: "ATTEMPTS_EXHAUSTED" }, processed: 50, total: 100, resumable: true });
});

test("progress is stored at most once a second, and at the end", async () => {
  const { clock, service, storage, ended } = timedStage({
    fast: job({
      async run({ progress }) {
        for (let done = 1; done <= 25; done += 1) {
          clock.advance(100);
          await progress(done);
          stored.add((await storage.jobs?.get(id))?.processed);
        }
      },
    }),
  });
  const stored = new Set<number | undefined>();
  let id = "";
  ({ id } = await service.jobs.enqueue("fast", undefined, { at: new Date(clock.now() + 10) }));
  await eventually(() => {
    clock.advance(20);
    expect(stored.size).toBeGreaterThan(0);
  });
  expect(await ended(id)).toMatchObject({ processed: 25, total: null });
  expect([...stored]).toEqual([1, 11, 21]);
  const refused = timedStage({ wrong: job({ run: ({ progress }) => progress(-1).catch(String) }) });
  const { id: other } = await refused.service.jobs.enqueue("wrong");
  expect((await refused.ended(other)).result).toContain('"done" must be a whole number of at least 0; got -1');
});

test("a transaction beside a checkpoint whose commit has not been answered leaves its position", async () => {
  const memory = memoryStorage();
  const begins: unknown[] = [];
  let answer = () => {};
  let answered: Promise<void> | undefined;
  const storage: Storage = {
    ...memory,
    async transaction(run, options) {
      const later = answered;
      answered = undefined;
      const result = await memory.transaction?.(run, options);
      await later;
      return result as Awaited<ReturnType<typeof run>>;
    },
  };
  const handlers = {
    busy: job({
      async run({ checkpoint, tx }) {
        begins.push(checkpoint.value);
        if (begins.length > 1) return checkpoint.value;
        answered = new Promise((resolve) => {
          answer = resolve;
        });
        const reached = checkpoint("reached", (inner) => inner.of(notes).create({ text: "reached" }));
        await tx((inner) => inner.of(notes).create({ text: "beside" }));
        answer();
        await reached;
        throw problem("STOP", 409, "So that it is tried again from its checkpoint.");
      },
    }),
  };
  const { service, ended } = ownStage({ storage, handlers });
  const { id } = await service.jobs.enqueue("busy");
  expect((await ended(id)).error?.code).toBe("STOP");
  expect(await service.jobs.retry(id)).toBe(true);
  await eventually(() => expect(begins).toEqual([undefined, "reached"]));
});

test("a job whose principal no longer exists fails, and its handler does not begin", async () => {
  let runs = 0;
  const gone = job({ run: () => (runs += 1) });
  const { service, ended } = timedStage({ gone }, { service: { principals: { reload: () => null } } });
  const { id } = await service.jobs.enqueue("gone", undefined, { principal: { id: "ada" } });
  expect((await ended(id)).error).toMatchObject({ code: "FORBIDDEN" });
  expect(runs).toBe(0);
  const { id: ofSystem } = await service.jobs.enqueue("gone");
  expect((await ended(ofSystem)).result).toBe(1);
});

test("a result that JSON cannot have fails the job, which is not run again", async () => {
  let runs = 0;
  const { service, ended } = timedStage({
    circle: job({
      run() {
        runs += 1;
        const circle: { self?: unknown } = {};
        circle.self = circle;
        return circle;
      },
    }),
  });
  const { id } = await service.jobs.enqueue("circle");
  expect((await ended(id)).error?.detail).toContain("cannot be written as JSON");
  expect(runs).toBe(1);
});

test("a position must be a small JSON value", async () => {
  const errors: string[] = [];
  const { service, ended } = timedStage({
    wide: job({
      async run({ checkpoint }) {
        for (const value of [undefined, () => 1, "x".repeat(70_000)]) await checkpoint(value).catch((error: Error) => errors.push(error.message));
      },
    }),
  });
  await ended((await service.jobs.enqueue("wide")).id);
  expect(errors).toHaveLength(3);
  expect(errors[2]).toContain("at most 65536 characters; got 70002 characters");
});

test("a collection of the name jobs and handlers cannot be in one service, and handlers have plain names", () => {
  const handlers = { batch: job({ run: () => 1 }) };
  expect(() => ownStage({ storage: memoryStorage(), handlers: { "a b": handlers.batch } })).toThrow('got "a b"');
  expect(() => job({ rnu: () => 1 } as never)).toThrow('did you mean "run"');
  expect(() => ownStage({ storage: memoryStorage(), handlers: { plain: { input: 5, run: () => 1 } as never } })).toThrow(
    '"input" must be a zod object',
  );
});
