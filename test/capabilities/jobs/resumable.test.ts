import { ProblemError } from "restwright";
import { describe, expect, test } from "vitest";
import type { JobHandler } from "../../../src/capabilities/jobs/run/handler.js";
import type { JobEnd, JobState } from "../../../src/ground/storage/queue/jobs.js";
import { HeldHandler, JobStage, settle } from "./stage.js";

const step = { processed: 1, total: 9, counts: {}, cursor: 1 } as const;
const stopped: JobEnd = { status: "failed", error: { code: "STOPPED", detail: "It was stopped." }, result: { created: 3 } };

/** A job that has got a step further, in the hands of a handler that the test holds. */
async function underWay(isResumable: boolean | undefined) {
  const stage = new JobStage();
  const held = new HeldHandler();
  const id = await stage.create();
  stage.runner([{ type: "test", isResumable, run: held.run } satisfies JobHandler]).start();
  await settle();
  await held.at().call.advance(stage.store, step);
  return { stage, held, id };
}

type UnderWay = Awaited<ReturnType<typeof underWay>>;

async function canceled({ stage, held, id }: UnderWay, end: (tried: HeldHandler["tries"][number]) => void): Promise<JobState> {
  await stage.store.cancel(id);
  await stage.pass(20_000);
  end(held.at());
  await settle();
  return stage.get(id);
}

const endings: Readonly<Record<string, (job: UnderWay) => Promise<JobState>>> = {
  CANCELLED: (job) => canceled(job, ({ call, fail }) => fail(call.signal.reason)),
  FORBIDDEN: async ({ stage, held, id }) => {
    held.at().fail(new ProblemError("FORBIDDEN", "You may not do that any more."));
    await settle();
    return stage.get(id);
  },
  ATTEMPTS_EXHAUSTED: async ({ stage, held, id }) => {
    for (const pauseMs of [30_000, 120_000, 600_000, 600_000, 0]) {
      held.at().fail(new Error("no"));
      await stage.pass(pauseMs, 1_000);
    }
    return stage.get(id);
  },
};

describe.each(Object.entries(endings))("a job that ends with %s", (code, ending) => {
  test.each([true, false, undefined])("can go on if its handler says so: %s", async (isResumable) => {
    const { error, resumable } = await ending(await underWay(isResumable));
    expect([error?.code, resumable]).toEqual([code, isResumable === true]);
  });

  test("goes on at its last step once it is reopened", async () => {
    const job = await underWay(true);
    await ending(job);
    expect(await job.stage.store.reopen(job.id)).toBe(true);
    const tries = job.held.tries.length;
    await job.stage.pass(2_000);
    expect(job.held.tries).toHaveLength(tries + 1);
    expect(job.held.at().job).toMatchObject({ cursor: 1, attempts: 0, input: job.id, cancelRequested: false });
    job.held.at().end();
    await settle();
    expect(await job.stage.get(job.id)).toMatchObject({ status: "completed", error: undefined, resumable: false });
  });
});

describe("a job that its handler ends as failed", () => {
  test.each([
    ["can go on where the handler says so of this end", stopped, true],
    ["cannot go on otherwise, whatever holds for its other ends", stopped, undefined],
  ] as const)("%s", async (_, end, resumable) => {
    const { stage, held, id } = await underWay(true);
    held.at().end({ ...end, resumable });
    await settle();
    expect(await stage.get(id)).toMatchObject({ status: "failed", error: stopped.error, result: { created: 3 }, resumable: resumable === true });
  });

  test.each([
    [true, undefined, true],
    [undefined, true, true],
    [undefined, undefined, false],
  ] as const)("was canceled, with what the handler had to say (handler: %s, its end: %s)", async (isResumable, resumable, expected) => {
    const state = await canceled(await underWay(isResumable), ({ end }) => end({ ...stopped, resumable }));
    expect(state).toMatchObject({ error: { code: "CANCELLED" }, result: { created: 3 }, resumable: expected });
  });
});

test("a job that was canceled while it rested after a failed try can go on", async () => {
  const { stage, held, id } = await underWay(true);
  held.at().fail(new Error("no"));
  await settle();
  await stage.store.cancel(id);
  await stage.pass(1_000);
  expect(await stage.get(id)).toMatchObject({ error: { code: "CANCELLED" }, resumable: true });
});

test("a job that was canceled before anybody began it keeps nothing", async () => {
  const stage = new JobStage();
  const id = await stage.create();
  stage.runner([{ type: "test", isResumable: true, run: new HeldHandler().run }]);
  await stage.store.cancel(id);
  expect(await stage.get(id)).toMatchObject({ error: { code: "CANCELLED" }, resumable: false });
});

test.each([
  [7, 7],
  [1, 1],
  [0, undefined],
  [-1, undefined],
  [1.5, undefined],
  [Number.NaN, undefined],
  [2 ** 53, undefined],
  ["7", undefined],
  [undefined, undefined],
])("a problem at the row %s fails the job at the row %s", async (row, expected) => {
  const { stage, held, id } = await underWay(undefined);
  held.at().fail(new ProblemError("BAD_QUOTE", "A quote stands inside a cell.", { extensions: { row } }));
  await settle();
  const detail = "A quote stands inside a cell.";
  expect((await stage.get(id)).error).toEqual(expected === undefined ? { code: "BAD_QUOTE", detail } : { code: "BAD_QUOTE", detail, row: expected });
});
