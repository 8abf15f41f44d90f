import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { ExportProgress } from "../../../src/capabilities/transfer/export/exportProgress.js";
import type { Environment } from "../../../src/engine/operation/environment.js";
import type { RunningJob } from "../../../src/engine/operation/work/runningJob.js";
import type { JobAdvance, JobStore } from "../../../src/ground/storage/queue/jobs.js";

/** The progress of a job of which an earlier try got so far. */
function setUp(processed: number, total: number | null) {
  const clock = new FakeClock();
  const kept: [number, number | null][] = [];
  const call = {
    signal: new AbortController().signal,
    advance: async (_: JobStore, advance: JobAdvance) => void kept.push([advance.processed, advance.total]),
  };
  const environment = { clock, timers: clock, random: () => 0.5 } as Partial<Environment> as Environment;
  const running = { job: { processed }, call } as Partial<RunningJob> as RunningJob;
  return { clock, kept, progress: new ExportProgress(environment, {} as JobStore, running, total) };
}

async function* batches(count: number, before: (index: number) => void = () => {}): AsyncGenerator<readonly number[], void, void> {
  for (let index = 0; index < count; index++) {
    before(index);
    yield Array.from({ length: 1_000 }, () => index);
  }
}

async function take(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of rows);
}

describe("the progress of an export", () => {
  test("is kept every 10,000 rows, and at the end", async () => {
    const { kept, progress } = setUp(0, 25_000);
    await take(progress.counted(batches(25)));
    expect(kept).toEqual([
      [10_000, 25_000],
      [20_000, 25_000],
    ]);
    await progress.end();
    expect(kept.at(-1)).toEqual([25_000, 25_000]);
  });

  test("is kept once a second where rows come slowly", async () => {
    const { clock, kept, progress } = setUp(0, null);
    await take(progress.counted(batches(5, () => clock.advance(600))));
    expect(kept).toEqual([
      [2_000, null],
      [4_000, null],
    ]);
  });

  test("has as many rows in all as there turn out to be", async () => {
    const { kept, progress } = setUp(0, 9_000);
    await take(progress.counted(batches(11)));
    expect(kept).toEqual([[10_000, 10_000]]);
  });

  test("is none where an earlier try got as far: a job that always dies at one row must not be tried for ever", async () => {
    const { clock, kept, progress } = setUp(12_000, 30_000);
    await take(progress.counted(batches(12, () => clock.advance(5_000))));
    expect(kept).toEqual([]);
    await take(progress.counted(batches(1, () => clock.advance(5_000))));
    expect(kept).toEqual([[13_000, 30_000]]);
  });
});
