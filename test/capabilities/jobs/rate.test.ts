import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SmoothedRate } from "../../../src/capabilities/jobs/run/rate.js";
import { JobStage } from "./stage.js";

describe("the smoothed rate", () => {
  test("is unknown before two samples and two seconds", () => {
    const early = new SmoothedRate(0, 0);
    expect([early.sample(10, 500), early.sample(20, 1_999), early.sample(30, 2_000)]).toEqual([undefined, undefined, expect.closeTo(15, 0)]);
    const single = new SmoothedRate(0, 0);
    expect([single.sample(100, 10_000), single.sample(200, 20_000)]).toEqual([undefined, expect.closeTo(10, 6)]);
  });

  test("is the rate itself where that does not change, however samples are spaced", () => {
    const property = fc.property(fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 3, maxLength: 50 }), (gapsMs) => {
      const rate = new SmoothedRate(0, 0);
      let atMs = 0;
      for (const gapMs of gapsMs) {
        atMs += gapMs;
        const known = rate.sample(atMs * 3, atMs);
        if (known !== undefined) expect(known).toBeCloseTo(3_000, -2);
      }
    });
    fc.assert(property, { seed: 1 });
  });

  test("forgets within half a minute how fast it once was", () => {
    const rate = new SmoothedRate(0, 0);
    let processed = 0;
    let known: number | undefined;
    for (let second = 1; second <= 90; second++) {
      processed += second <= 60 ? 100 : 10;
      known = rate.sample(processed, second * 1_000);
      if (second === 60) expect(known).toBeGreaterThan(99);
    }
    expect(known).toBeLessThan(16);
    expect(known).toBeGreaterThan(10);
  });

  test("is right again soon after the clock was set back", () => {
    const rate = new SmoothedRate(0, 3_600_000);
    let known: number | undefined;
    for (let second = 1; second <= 60; second++) known = rate.sample(second * 10, second * 1_000);
    expect(known).toBeLessThan(12);
  });

  test("counts what was rolled back and done again once", () => {
    const rate = new SmoothedRate(0, 0);
    for (const [processed, atMs] of [
      [10, 1_000],
      [20, 2_000],
      [20, 3_000],
    ] as const)
      rate.sample(processed, atMs);
    expect(rate.sample(30, 3_000)).toBeLessThan(11);
  });

  test("begins with what an earlier try found out", () => {
    expect(new SmoothedRate(50, 0, 8).sample(58, 1_000)).toBeCloseTo(8, 6);
  });

  test("stands in the job's state from the second chunk on", async () => {
    const stage = new JobStage();
    const id = await stage.create();
    const rates: (number | undefined)[] = [];
    stage
      .runner(async (_job, call) => {
        for (let chunk = 1; chunk <= 3; chunk++) {
          await new Promise<void>((resolve) => stage.clock.setTimeout(resolve, 1_000));
          await call.advance(stage.store, { processed: chunk * 50, total: 1_000, counts: {}, cursor: chunk });
          rates.push((await stage.get(id)).rate);
        }
        return { status: "completed" };
      })
      .start();
    await stage.pass(4_000);
    expect(rates).toEqual([undefined, expect.closeTo(50, 0), expect.closeTo(50, 0)]);
  });
});
