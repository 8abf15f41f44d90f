import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pollHint } from "../../../src/capabilities/jobs/answer.js";
import { jobDocument } from "../../../src/capabilities/jobs/document.js";
import { describeResults } from "../../../src/capabilities/jobs/results.js";
import { stateOf } from "./states.js";

const links = { self: "/batches/01J" };

describe("the document of a job", () => {
  test("has every member from the start", () => {
    const state = stateOf({ status: "queued", processed: 0, total: null, startedAt: undefined, advancedAt: undefined });
    expect(jobDocument(state, { links })).toEqual({
      id: "01J",
      type: "batch",
      status: "queued",
      progress: 0,
      processedRows: 0,
      totalRows: null,
      estimatedCompletion: null,
      createdAt: "2026-01-01T00:00:00.000Z",
      startedAt: null,
      finishedAt: null,
      attempts: 0,
      result: null,
      error: null,
      links,
    });
  });

  test("takes members of its kind", () => {
    expect(jobDocument(stateOf(), { links, result: { rows: 1 }, members: { resume: { row: 7 } } })).toMatchObject({
      result: { rows: 1 },
      resume: { row: 7 },
    });
  });

  test("says why a job failed, and when", () => {
    const error = { code: "BAD_QUOTE", detail: "A quote stands inside a cell.", row: 3 };
    const document = jobDocument(stateOf({ status: "failed", error, finishedAt: new Date("2026-01-01T00:01:00Z") }), { links });
    expect(document).toMatchObject({ error, finishedAt: "2026-01-01T00:01:00.000Z", progress: 0.5 });
  });

  test.each([
    ["nothing is known", { total: null }, 0],
    ["nothing is done", { processed: 0 }, 0],
    ["there is nothing to do", { processed: 0, total: 0 }, 0],
    ["a third is done", { processed: 1, total: 3 }, 0.3333],
    ["nearly all is done", { processed: 999_999, total: 1_000_000 }, 0.9999],
    ["all is done but the end", { processed: 100 }, 0.9999],
    ["more is done than was known of", { processed: 120 }, 0.9999],
    ["it is completed", { status: "completed", processed: 90 }, 1],
    ["it is completed, and had nothing to do", { status: "completed", processed: 0, total: 0 }, 1],
    ["it failed at its last row", { status: "failed", processed: 100 }, 0.9999],
  ] as const)("has its progress where %s", (_case, change, progress) => {
    expect(jobDocument(stateOf(change), { links }).progress).toBe(progress);
  });

  test("never lets progress fall while more is done", () => {
    const property = fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1 }), (first, more, total) => {
      const progress = (processed: number) => jobDocument(stateOf({ processed, total }), { links }).progress;
      expect(progress(first + more)).toBeGreaterThanOrEqual(progress(first));
      expect(progress(first)).toBeLessThan(1);
    });
    fc.assert(property, { seed: 1 });
  });

  test.each([
    ["a rate", { rate: 5 }, "2026-01-01T00:00:20.000Z"],
    ["nothing left", { rate: 5, processed: 100 }, "2026-01-01T00:00:10.000Z"],
    ["no rate", {}, null],
    ["a rate of nothing", { rate: 0 }, null],
    ["no total", { rate: 5, total: null }, null],
    ["an end beyond all dates", { rate: 1e-300 }, null],
    ["an end already", { rate: 5, status: "failed" }, null],
  ] as const)("estimates its end with %s", (_case, change, expected) => {
    expect(jobDocument(stateOf(change), { links }).estimatedCompletion).toBe(expected);
  });
});

describe("the hint when to poll again", () => {
  test.each([
    [0, "1"],
    [9_000, "1"],
    [10_001, "2"],
    [45_000, "5"],
    [3_600_000, "10"],
    [-5_000, "1"],
  ])("after %d ms is %s s", (ageMs, seconds) => {
    const state = stateOf();
    expect(pollHint(state, state.createdAt.getTime() + ageMs)).toEqual({ "retry-after": seconds });
  });

  test("is not given once the job has ended", () => {
    expect(pollHint(stateOf({ status: "completed" }), 0)).toEqual({});
  });
});

describe("the description by results", () => {
  const entries = [
    { position: 0, value: { index: 0, status: 201 } },
    { position: 1, value: { index: 1, status: 422 } },
  ];

  test("sums up what is done so far", () => {
    expect(describeResults(stateOf({ processed: 2, counts: { succeeded: 1, failed: 1 } }), entries).result).toEqual({
      results: [
        { index: 0, status: 201 },
        { index: 1, status: 422 },
      ],
      summary: { total: 2, succeeded: 1, failed: 1 },
    });
  });

  test("is nothing before anything is done, and a summary of nothing for a job that had nothing to do", () => {
    expect(describeResults(stateOf({ processed: 0 }), []).result).toBeNull();
    expect(describeResults(stateOf({ processed: 0, status: "completed" }), []).result).toEqual({
      results: [],
      summary: { total: 0, succeeded: 0, failed: 0 },
    });
  });
});
