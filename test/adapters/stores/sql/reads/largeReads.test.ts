// @long

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Collection, Row } from "../../../../../src/ground/storage/collection.js";
import { complete } from "../../../../../src/ground/storage/completed/complete.js";
import { QueryTimeout } from "../../../../../src/ground/storage/errors.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import { holdMeter } from "../../../../attacks/holdMeter.js";
import { boundFor, maxHoldMs } from "../../../../attacks/referenceWork.js";

const model: CollectionModel = {
  name: "notes",
  id: "id",
  idFrom: "store",
  columns: [
    { name: "id", kind: "int" },
    { name: "text", kind: "text" },
    { name: "data", kind: "json" },
  ],
  unique: [],
  indexes: [],
  searchable: [],
};
const byId = [{ path: ["id"], dir: "asc" }] as const;
const call = { tenant: "t" };
/** Has no rows but large ones. */
const few = { tenant: "few" };
const total = 20_000;
const large = 60;
const stamp = { _version: "w", _updatedAt: new Date(0) };
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** The first `total` rows are small, those behind them hold half a megabyte of text each, and one of JSON. */
async function fill(notes: Required<Collection>): Promise<void> {
  for (let start = 0; start < total; start += 5_000) {
    await notes.insertMany(
      Array.from({ length: 5_000 }, (_, index) => ({ text: `n${start + index}`, data: [start + index], ...stamp })),
      call,
    );
  }
  const data = Array(10_000).fill(1.5);
  for (let made = 0; made < large; made++) await notes.insert({ text: "x".repeat(500_000), data, ...stamp }, call);
  for (let made = 0; made < large; made++) await notes.insert({ text: "x".repeat(1_000_000), data: null, ...stamp }, few);
}

describe.each([
  { name: "SQLite in a file", open: (folder: string) => sqliteStorage({ path: join(folder, `${Math.random()}.db`) }) },
  { name: "SQLite in memory", open: () => sqliteStorage({ path: ":memory:" }) },
])("large reads of $name", ({ open }) => {
  const folder = mkdtempSync(join(tmpdir(), "restwright-"));
  let storage: Storage;
  let notes: Required<Collection>;

  beforeAll(async () => {
    storage = open(folder);
    await storage.migrate?.([model]);
    notes = complete(storage.collection(model));
    await fill(notes);
  }, 120_000);
  afterAll(async () => {
    await storage.close?.();
    rmSync(folder, { recursive: true, force: true });
  });

  const manyRows = (collection: Collection = notes) => collection.find({ sort: byId, limit: total }, call);
  const largeRows = (collection: Collection = notes) =>
    collection.find({ filter: { op: "gt", path: ["id"], value: total }, sort: byId, limit: large }, call);
  const all = async (batches: AsyncIterable<readonly Row[]>) => {
    const rows: Row[] = [];
    for await (const batch of batches) rows.push(...batch);
    return rows;
  };

  const reads: readonly (readonly [name: string, run: () => Promise<readonly Row[]>, count: number])[] = [
    ["a page of large rows", () => largeRows(), large],
    ["a page of large rows without an index", () => notes.find({ sort: [{ path: ["text"], dir: "desc" }], limit: large }, call), large],
    [
      "a page of all large rows in an order without an index",
      () => notes.find({ sort: [{ path: ["text"], dir: "desc" }], limit: large }, few),
      large,
    ],
    ["a page of many rows", () => manyRows(), total],
    [
      "rows by their ids",
      () =>
        notes.getMany(
          Array.from({ length: large }, (_, index) => total + 1 + index),
          call,
        ),
      large,
    ],
    ["a page in a transaction", async () => (await storage.transaction?.((tx) => largeRows(tx.collection(model)))) ?? [], large],
    [
      "a page in a transaction that only reads",
      async () => (await storage.transaction?.((tx) => largeRows(tx.collection(model)), { readOnly: true })) ?? [],
      large,
    ],
    ["an export", () => all(notes.iterate({ sort: byId, limit: 1e9 }, call)), total + large],
  ];

  test.each(reads)("do not hold the event loop: %s", async (_, run, count) => {
    const meter = holdMeter();
    let held = Number.POSITIVE_INFINITY;
    // The shortest of some rounds, as a collection of garbage from before may fall into any of them.
    for (let round = 0; round < 12 && held >= maxHoldMs; round++) {
      meter.start();
      const rows = await run();
      held = Math.min(held, meter.stop().cpuMs);
      expect(rows).toHaveLength(count);
    }
    expect(held).toBeLessThan(boundFor(held));
  });

  test("are of one instant while others write and read", async () => {
    const first = total + 1;
    const last = total + large;
    let wasMissed = false;
    // A write may come before the read begins, during it, or after it: repeated until one came during a read, which must miss it.
    for (let round = 0; round < 60 && !wasMissed; round++) {
      const text = `changed ${Math.random()}`;
      let isReading = true;
      const reading = largeRows().finally(() => {
        isReading = false;
      });
      for (let turn = 0; turn <= round % 6; turn++) await nextTurn();
      const wasReading = isReading;
      for (const id of [first, last]) expect((await notes.update(id, { text, ...stamp }, call)).ok).toBe(true);
      // What was written is there for the next read, even while the large one goes on.
      expect((await notes.get(last, call))?.["text"]).toBe(text);
      expect((await notes.find({ filter: { op: "eq", path: ["id"], value: last }, sort: byId, limit: 1 }, call))[0]?.["text"]).toBe(text);
      const rows = await reading;
      expect(rows).toHaveLength(large);
      const [sawFirst, sawLast] = [rows[0], rows.at(-1)].map((row) => row?.["text"] === text);
      // The first row is read before the last one, and is written before it.
      expect({ sawFirst, sawLast }).not.toEqual({ sawFirst: false, sawLast: true });
      wasMissed = wasReading && !sawFirst && !sawLast;
      expect((await largeRows()).at(-1)?.["text"]).toBe(text);
    }
    expect(wasMissed).toBe(true);
  });

  test("end with their budget and with their signal", async () => {
    const query = { sort: byId, limit: total };
    await expect(notes.find(query, { ...call, budgetMs: 1 })).rejects.toBeInstanceOf(QueryTimeout);
    const gone = new Error("The client went away.");
    const controller = new AbortController();
    const reading = notes.find(query, { ...call, signal: controller.signal });
    setImmediate(() => controller.abort(gone));
    await expect(reading).rejects.toBe(gone);
    expect(await manyRows()).toHaveLength(total);
    expect((await notes.update(1, { text: "n0", ...stamp }, call)).ok).toBe(true);
  });

  test("go on at once, more than have a place", async () => {
    const found = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const rows = await manyRows();
        if (index % 10 === 0) expect((await notes.update(total, { text: `w${index}`, ...stamp }, call)).ok).toBe(true);
        return rows.map(({ id }) => id);
      }),
    );
    for (const ids of found) expect(ids).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  });

  test("in a transaction keep its writes waiting, and do not spoil it when they end early", async () => {
    const controller = new AbortController();
    const gone = new Error("The client went away.");
    await storage.transaction?.(async (tx) => {
      const inside = tx.collection(model);
      const reading = manyRows(inside);
      await nextTurn();
      const writing = inside.update(total, { text: "written inside", ...stamp }, call);
      const [rows, written] = await Promise.all([reading, writing]);
      expect(written.ok).toBe(true);
      expect(rows).toHaveLength(total);
      expect(rows.at(-1)?.["text"]).not.toBe("written inside");
      const ending = inside.find({ sort: byId, limit: total }, { ...call, signal: controller.signal });
      setImmediate(() => controller.abort(gone));
      await expect(ending).rejects.toBe(gone);
    });
    expect((await notes.get(total, call))?.["text"]).toBe("written inside");
  });

  test("that nobody waits for do not stop a transaction from being rolled back", async () => {
    let reading: Promise<unknown> = Promise.resolve();
    const rolledBack = storage.transaction?.(async (tx) => {
      const inside = tx.collection(model);
      await inside.update(total, { text: "never", ...stamp }, call);
      reading = manyRows(inside);
      await nextTurn();
      throw new Error("rolled back");
    });
    await expect(rolledBack).rejects.toThrow("rolled back");
    await reading.catch(() => {});
    expect((await notes.get(total, call))?.["text"]).not.toBe("never");
  });

  test("that are left early do not keep others from writing", async () => {
    for await (const rows of notes.iterate({ sort: byId, limit: 1e9, fields: [["id"]] }, call)) {
      expect(rows.length).toBeGreaterThan(0);
      break;
    }
    expect((await notes.update(1, { text: "n0", ...stamp }, call)).ok).toBe(true);
  });
});

test("a large read of a file goes on to its end when the storage is closed meanwhile", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "restwright-"));
  const storage = sqliteStorage({ path: join(folder, "closed.db") });
  onTestFinished(async () => {
    await storage.close?.();
    rmSync(folder, { recursive: true, force: true });
  });
  await storage.migrate?.([model]);
  const notes = complete(storage.collection(model));
  await fill(notes);
  const reading = notes.find({ filter: { op: "gt", path: ["id"], value: total }, sort: byId, limit: large }, call);
  await nextTurn();
  await storage.close?.();
  expect(await reading).toHaveLength(large);
});
