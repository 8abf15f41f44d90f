import type { storageContract } from "restwright/testing";
import { expect, test } from "vitest";
import { sampled } from "../../../../tools/extent.js";

/** What no table of a developer keeps: versions and numbers are those of the database, and its writes are in no log. */
export const notKept = [
  "changes › ",
  "columns › the version of a row comes back as it was written",
  "insert › an id that a row brings along is never assigned to another",
  "update and remove › a version of a removed row is stale for the row that is inserted again under its id",
];

/**
 * Runs the scenarios that the store claims, or a sample of them, and checks that it leaves out no others than these: the stores without tables of a developer run them all.
 *
 * @param style names the tables
 * @param leftOut names, or beginnings of names
 */
export function runScenarios(style: string, scenarios: Awaited<ReturnType<typeof storageContract>>, leftOut: readonly string[]): void {
  const skipped = scenarios.filter(({ skip }) => skip !== undefined).map(({ name }) => name);
  test("claims everything else of the contract", () => {
    expect(skipped.filter((name) => !leftOut.some((beginning) => name.startsWith(beginning)))).toEqual([]);
    expect(leftOut.filter((beginning) => !skipped.some((name) => name.startsWith(beginning)))).toEqual([]);
  });
  const kept = scenarios.filter(({ skip }) => skip === undefined);
  for (const { name, run } of sampled(kept, style)) test(name, run);
}
