// @long

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

interface TestResult {
  readonly fullName: string;
  readonly status: "passed" | "failed" | "skipped";
  readonly failureMessages?: readonly string[];
  readonly meta?: Readonly<Record<string, unknown>>;
}

const passed: TestResult = { fullName: "adds", status: "passed" };
const failing: TestResult = { fullName: "divides", status: "failed", failureMessages: ["by zero"] };
const withoutRedis: TestResult = { fullName: "in Redis", status: "skipped", meta: { skipped: "needs redis (set REDIS_URL)", lacks: ["redis"] } };
const elsewhere: TestResult = { fullName: "opens files", status: "skipped", meta: { skipped: "only on Linux" } };

/** A report of vitest with one file. */
function reportOf(...tests: readonly TestResult[]) {
  const failed = tests.some(({ status }) => status === "failed");
  return { success: !failed, testResults: [{ name: "/sums.test.ts", status: failed ? "failed" : "passed", message: "", assertionResults: tests }] };
}

interface TallyOptions {
  readonly promised?: string;
  readonly steps?: readonly string[];
  readonly reports?: readonly string[];
}

/** What the tally prints of these files. */
function tally(files: Readonly<Record<string, unknown>>, { promised = "", steps = [], reports = ["a"] }: TallyOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), "restwright-tally-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, `${name}.json`), JSON.stringify(value));
  if (promised !== "") writeFileSync(join(folder, "a.engines"), `${promised}\n`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [".ci/tally.mjs", folder, ...reports, "--", ...steps], { encoding: "utf8" });
  expect(stderr).toBe("");
  return { status, lines: stdout.trimEnd().split("\n") };
}

test("a skipped test is listed under its reason and is no fault", () => {
  const unexplained: TestResult = { fullName: "sleeps", status: "skipped" };
  expect(tally({ a: reportOf(passed, withoutRedis, elsewhere, unexplained), "a.errors": [] }, { promised: "postgres" })).toEqual({
    status: 0,
    lines: [
      ...["skipped, needs redis (set REDIS_URL):", "  a: in Redis"],
      ...["skipped, only on Linux:", "  a: opens files"],
      ...["skipped, no reason given:", "  a: sleeps"],
      "1 passed, 0 failed",
    ],
  });
});

test("a skipped test that another run has run is not listed", () => {
  const files = { a: reportOf(passed, withoutRedis, elsewhere), "a.errors": [], b: reportOf({ ...withoutRedis, status: "passed" }), "b.errors": [] };
  expect(tally(files, { reports: ["a", "b"] })).toEqual({
    status: 0,
    lines: ["skipped, only on Linux:", "  a: opens files", "2 passed, 0 failed"],
  });
});

test("a test that is skipped for lack of a promised engine is a fault", () => {
  expect(tally({ a: reportOf(passed, withoutRedis, elsewhere), "a.errors": [] }, { promised: "postgres,redis" })).toEqual({
    status: 1,
    lines: ["skipped, only on Linux:", "  a: opens files", "a: skipped, although redis was promised: in Redis", "1 passed, 1 failed"],
  });
});

test("a failed test is counted, and its message is printed after the tests that were skipped", () => {
  const { status, lines } = tally({ a: reportOf(passed, failing, elsewhere), "a.errors": [] });
  expect(status).toBe(1);
  expect(lines.slice(0, 2)).toEqual(["skipped, only on Linux:", "  a: opens files"]);
  expect(lines[2]).toMatch(/^a: 1 failed in .*sums\.test\.ts$/);
  expect(lines.slice(3)).toEqual(["  divides", "    by zero", "a: the run did not succeed", "1 passed, 2 failed"]);
});

test("a test that passes when it is run again is named as unstable and is no fault", () => {
  const again = reportOf(passed, { ...failing, status: "passed" });
  const { status, lines } = tally({ a: reportOf(passed, failing), "a.errors": [], "a.again": again, "a.again.errors": [] });
  expect([status, lines]).toEqual([0, ["a: unstable, passed when run again alone: divides", "    by zero", "2 passed, 0 failed"]]);
});

test("a file that cannot be loaded counts as one failed test", () => {
  const report = { success: false, testResults: [{ name: "/sums.test.ts", status: "failed", message: "no such module", assertionResults: [] }] };
  const { status, lines } = tally({ a: report, "a.errors": [] });
  expect([status, lines.slice(1)]).toEqual([1, ["    no such module", "a: the run did not succeed", "0 passed, 2 failed"]]);
});

test.each([
  [
    "an error outside of tests",
    { a: reportOf(passed), "a.errors": [{ name: "TypeError", message: "lost" }] },
    [],
    "a: unhandled TypeError (no file known): lost",
  ],
  ["a step that failed", { a: reportOf(passed), "a.errors": [] }, ["lint"], "failed: lint"],
] as const)("%s is a fault", (_, files, steps, line) => {
  expect(tally(files, { steps })).toEqual({ status: 1, lines: [line, "1 passed, 1 failed"] });
});

test.each([
  ["report", { "a.errors": [] }],
  ["list of errors outside of tests", { a: reportOf(passed) }],
] as const)("a missing %s is a fault", (_, files) => {
  const line = "a: there is no complete report, so that its tests are not counted below";
  expect(tally(files)).toEqual({ status: 1, lines: [line, "0 passed, 1 failed"] });
});

test("without any passed test the tally fails", () => {
  expect(tally({ a: reportOf(elsewhere), "a.errors": [] })).toMatchObject({ status: 1, lines: expect.arrayContaining(["0 passed, 0 failed"]) });
});
