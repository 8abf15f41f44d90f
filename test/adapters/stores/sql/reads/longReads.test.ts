// @long

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Collection } from "../../../../../src/ground/storage/collection.js";
import { complete } from "../../../../../src/ground/storage/completed/complete.js";
import { QueryTimeout } from "../../../../../src/ground/storage/errors.js";
import type { Filter, LikePart } from "../../../../../src/ground/storage/filter.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import { holdMeter } from "../../../../attacks/holdMeter.js";
import { boundFor, maxHoldMs } from "../../../../attacks/referenceWork.js";

const model: CollectionModel = {
  name: "people",
  id: "id",
  idFrom: "store",
  columns: [
    { name: "id", kind: "int" },
    { name: "name", kind: "text" },
    { name: "bio", kind: "text", fold: true },
    { name: "tags", kind: "json" },
    { name: "team", kind: "int" },
  ],
  unique: [],
  indexes: [[["team"]]],
  searchable: [["bio"]],
};
const total = 100_000;
const any: LikePart = { any: "many" };
const hard: Filter = { op: "like", path: ["bio"], parts: [any, `${"b".repeat(200)}y`, any], fold: true };
const byName = [
  { path: ["name"], dir: "asc" },
  { path: ["id"], dir: "asc" },
] as const;
const byId = [{ path: ["id"], dir: "asc" }] as const;

describe.each([
  { name: "SQLite in a file", open: (folder: string) => sqliteStorage({ path: join(folder, "data.db") }) },
  { name: "SQLite in memory", open: () => sqliteStorage({ path: ":memory:" }) },
  { name: "the memory store", open: () => memoryStorage() },
])("long reads of $name", ({ open }) => {
  const folder = mkdtempSync(join(tmpdir(), "restwright-"));
  let storage: Storage;
  let people: Required<Collection>;

  beforeAll(async () => {
    storage = open(folder);
    await storage.migrate?.([model]);
    people = complete(storage.collection(model));
    for (let start = 0; start < total; start += 5_000) {
      const rows = Array.from({ length: 5_000 }, (_, index) => {
        const number = start + index;
        const bio = number < 3_000 ? "b".repeat(2_000) : "short";
        return {
          name: `n${(number * 7_919) % total}`,
          bio,
          tags: ["a", `t${number}`],
          team: number % 10,
          _version: `v${number}`,
          _updatedAt: new Date(0),
        };
      });
      await people.insertMany(rows, { tenant: "t" });
    }
  }, 120_000);
  afterAll(async () => {
    await storage.close?.();
    rmSync(folder, { recursive: true, force: true });
  });

  const call = { tenant: "t" };
  const reads: readonly (readonly [name: string, run: () => Promise<unknown>, answer: unknown])[] = [
    ["like", () => people.find({ filter: hard, sort: byId, limit: 21 }, call), []],
    ["eight likes", () => people.count({ op: "or", args: Array.from({ length: 8 }, () => hard) }, call), 0],
    ["q", () => people.count({ op: "search", text: `${"b".repeat(100)}y x` }, call), 0],
    ["has", () => people.count({ op: "contains", path: ["tags"], value: "t99999" }, call), 1],
    [
      "a sort by a field without an index",
      async () => (await people.find({ sort: byName, limit: 21 }, call)).map(({ name }) => name).slice(0, 3),
      ["n0", "n1", "n10"],
    ],
    ["an exact count", () => people.count(undefined, call), total],
    ["an exact count by an index", () => people.count({ op: "eq", path: ["team"], value: 3 }, call), total / 10],
    ["a filter without an index", () => people.find({ filter: { op: "eq", path: ["name"], value: "nobody" }, sort: byId, limit: 21 }, call), []],
    [
      "groups without an index",
      () => people.findGroups({ key: "name", keys: ["n5", "none"], limit: 2, fields: [["name"]] }, call).then((rows) => rows.length),
      1,
    ],
    [
      "ten at once",
      () => Promise.all(Array.from({ length: 10 }, () => people.count({ op: "and", args: [{ op: "lt", path: ["id"], value: 10_000 }, hard] }, call))),
      Array.from({ length: 10 }, () => 0),
    ],
    ["in a transaction", async () => storage.transaction?.((tx) => tx.collection(model).find({ filter: hard, sort: byId, limit: 1 }, call)), []],
    [
      "an export",
      async () => {
        let count = 0;
        for await (const rows of people.iterate({ filter: { op: "not", arg: hard }, sort: byName, limit: 1e9, fields: [["name"]] }, call))
          count += rows.length;
        return count;
      },
      total,
    ],
  ];

  test.each(reads)("do not hold the event loop: %s", async (_, run, answer) => {
    let found: unknown;
    let held = Number.POSITIVE_INFINITY;
    const meter = holdMeter();
    // The best of some rounds: compilation and garbage collection are not the read's doing.
    for (let round = 0; round < 12 && held >= maxHoldMs; round++) {
      meter.start();
      found = await run();
      held = Math.min(held, meter.stop().cpuMs);
    }
    expect(found).toEqual(answer);
    expect(held).toBeLessThan(boundFor(held));
  });

  test("end with their budget and with their signal", async () => {
    const slow: Filter = { op: "or", args: Array.from({ length: 9 }, () => hard) };
    await expect(people.count(slow, { ...call, budgetMs: 20 })).rejects.toBeInstanceOf(QueryTimeout);
    const gone = new Error("The client went away.");
    const controller = new AbortController();
    const read = people.find({ filter: slow, sort: byName, limit: 5 }, { ...call, signal: controller.signal });
    setImmediate(() => controller.abort(gone));
    await expect(read).rejects.toBe(gone);
    expect(await people.get(1, call)).toMatchObject({ id: 1 });
    expect((await people.update(1, { name: "n0", _version: "w", _updatedAt: new Date(0) }, call)).ok).toBe(true);
  });

  test("see one snapshot while others write", async () => {
    const counting = people.count({ op: "not", arg: hard }, call);
    await new Promise((resolve) => setImmediate(resolve));
    const removing = people.remove(50_000, call);
    expect(await counting).toBe(total);
    expect((await removing).ok).toBe(true);
    expect(await people.count({ op: "not", arg: hard }, call)).toBe(total - 1);
  });
});
