import { describe, expect, test } from "vitest";
import { needs, onlyIf, skipBecause } from "../tools/engines.js";

test("options of a test that lacks an engine skip it and name the engine", () => {
  const { skip, meta } = needs("sqlite");
  const isSet = process.env["SQLITE_DRIVER"] !== undefined;
  const lacking = { skipped: "needs sqlite (set SQLITE_DRIVER)", lacks: ["sqlite"] };
  expect([skip, meta]).toEqual(isSet ? [false, {}] : [true, lacking]);
});

test("options of a test whose condition does not hold skip it and give the reason", () => {
  expect(onlyIf(false, "only on Linux")).toEqual({ skip: true, meta: { skipped: "only on Linux" } });
  expect(onlyIf(true, "only on Linux")).toEqual({ skip: false, meta: {} });
});

describe("a suite with a reason", { meta: { skipped: "a reason" } }, () => {
  test("gives it to its tests", ({ task }) => {
    expect(task.meta.skipped).toBe("a reason");
  });
});

test("a test that skips itself leaves the reason in the report", (context) => {
  const skip = () => expect.fail("skip() has been called");
  expect(() => skipBecause({ ...context, skip }, "no snapshot")).toThrow("skip() has been called");
  expect(context.task.meta.skipped).toBe("no snapshot");
});
