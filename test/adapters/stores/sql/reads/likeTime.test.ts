import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, test } from "vitest";
import { complete } from "../../../../../src/ground/storage/completed/complete.js";
import type { LikePart } from "../../../../../src/ground/storage/filter.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import { cpuMsSince } from "../../../../tools/cpuMs.js";

const model: CollectionModel = {
  name: "people",
  id: "id",
  idFrom: "store",
  columns: [
    { name: "id", kind: "int" },
    { name: "bio", kind: "text", fold: true },
  ],
  unique: [],
  indexes: [],
  searchable: [],
};
const any: LikePart = { any: "many" };
const hard: readonly (readonly [name: string, parts: readonly LikePart[]])[] = [
  ["one part that nearly matches everywhere", [any, `${"b".repeat(200)}y`, any]],
  ["parts that match everywhere before one that does not", [any, "b".repeat(50), any, "b".repeat(50), any, `${"b".repeat(100)}y`, any]],
  ["a part between a start and an end", ["b", any, `y${"b".repeat(200)}`, any, "b"]],
];

/** Milliseconds of this process's own time. */
async function cpuMs(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  return cpuMsSince(before);
}

describe.each([
  { name: "memory", open: () => memoryStorage() },
  { name: "SQLite", open: () => sqliteStorage({ path: ":memory:" }) },
])("like on $name", async ({ open }) => {
  const storage = open();
  await storage.migrate?.([model]);
  const people = complete(storage.collection(model));
  const bio = "b".repeat(2_000);
  await people.insertMany(
    Array.from({ length: 1_000 }, (_, index) => ({ bio, _version: `v${index}`, _updatedAt: new Date(0) })),
    {},
  );

  test.each(hard)("takes time linear in the text: %s", async (_, parts) => {
    const taken = await cpuMs(() => people.count({ op: "like", path: ["bio"], parts, fold: true }, {}));
    // Trying again from each character took 560 ms and more.
    expect(taken).toBeLessThan(250);
  });
});
