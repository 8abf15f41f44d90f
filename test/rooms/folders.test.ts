import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { pathOf } from "./generated.js";

/** More is a list that nobody reads to its end. */
const maxEntries = 25;

/** Folders that may have more entries, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {};

const entriesOf = (folder: string) => readdirSync(pathOf(folder), { withFileTypes: true });

/** A folder and all below it, each with the number of its entries. */
function sizesOf(folder: string): (readonly [folder: string, entries: number])[] {
  const entries = entriesOf(folder);
  return [
    [folder, entries.length],
    ...entries.flatMap((entry) => (entry.isDirectory() && entry.name !== "node_modules" ? sizesOf(`${folder}/${entry.name}`) : [])),
  ];
}

const large = ["src", "adapters", "test", "bench"].flatMap(sizesOf).filter(([, entries]) => entries > maxEntries);

test(`no folder of sources, tests and benchmarks has more than ${maxEntries} entries`, () => {
  expect(large.filter(([folder]) => !(folder in exceptions))).toEqual([]);
});

test("no exception is left of a folder that has become smaller", () => {
  expect(Object.keys(exceptions).filter((folder) => !large.some(([name]) => name === folder))).toEqual([]);
});
