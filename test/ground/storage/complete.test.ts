import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, test } from "vitest";
import type { Collection } from "../../../src/ground/storage/collection.js";
import { complete } from "../../../src/ground/storage/completed/complete.js";
import type { CollectionModel } from "../../../src/ground/storage/model.js";
import { completeWrites } from "../../../src/testing/storage/completeWrites.js";
import { requiredMethodsOnly } from "../../tools/storage/requiredMethodsOnly.js";

const model: CollectionModel = {
  name: "things",
  id: "key",
  idFrom: "caller",
  columns: [
    { name: "key", kind: "text" },
    { name: "quantity", kind: "int" },
  ],
  unique: [],
  indexes: [],
  searchable: [],
};

let writes = 0;
const stamp = () => ({ _version: `v${++writes}`, _updatedAt: new Date(0) });

/** Three rows, and a way to come in between a read and a write of what `complete` derives. */
async function openThings(beforeWrite: (collection: Collection, id: unknown) => Promise<unknown> = async () => {}) {
  const collection = requiredMethodsOnly(memoryStorage()).collection(model);
  for (const key of ["a", "b", "c"]) await collection.insert({ key, quantity: 1, ...stamp() }, {});
  const disturbed = new Set<unknown>();
  const disturb = async (id: unknown) => {
    if (disturbed.has(id)) return;
    disturbed.add(id);
    await beforeWrite(collection, id);
  };
  const watched: Collection = {
    ...collection,
    update: async (id, patch, call) => {
      await disturb(id);
      return collection.update(id, patch, call);
    },
    remove: async (id, call) => {
      await disturb(id);
      return collection.remove(id, call);
    },
  };
  return { collection, completed: completeWrites(watched, "key") };
}

const one = { op: "eq", path: ["quantity"], value: 1 } as const;

describe("complete", () => {
  test("answers a collection that lacks nothing as it is", () => {
    const collection = memoryStorage().collection(model);
    expect(complete(collection, "key")).toBe(collection);
  });

  test("keeps the methods that the store has", async () => {
    const { collection } = await openThings();
    const completed = complete({ ...collection, count: async () => 42 }, "key");
    expect(await completed.count(undefined, {})).toBe(42);
    expect(await completed.getMany(["a", "x"], {})).toHaveLength(1);
  });

  test("updateMany looks again at a row that was changed in between, and changes it if it still matches", async () => {
    const { collection, completed } = await openThings((rows, id) => rows.update(String(id), { note: "in between", ...stamp() }, {}));
    expect(await completed.updateMany(one, { quantity: 2, ...stamp() }, {})).toBe(3);
    expect(await collection.get("a", {})).toMatchObject({ quantity: 2, note: "in between" });
  });

  test("updateMany and removeMany leave a row alone that no longer matches", async () => {
    const moved = (rows: Collection, id: unknown) => rows.update(String(id), { quantity: 9, ...stamp() }, {});
    const updating = await openThings(moved);
    expect(await updating.completed.updateMany(one, { quantity: 2, ...stamp() }, {})).toBe(0);
    const removing = await openThings(moved);
    expect(await removing.completed.removeMany(one, {})).toBe(0);
    expect(await removing.collection.get("a", {})).toMatchObject({ quantity: 9 });
  });

  test("updateMany and removeMany do not count rows that were removed in between", async () => {
    const removed = async (rows: Collection, id: unknown) => (id === "b" ? rows.remove("b", {}) : undefined);
    expect(await (await openThings(removed)).completed.updateMany(one, stamp(), {})).toBe(2);
    expect(await (await openThings(removed)).completed.removeMany(one, {})).toBe(2);
  });

  test("iterate asks for no more pages than it needs", async () => {
    const { collection } = await openThings();
    const limits: number[] = [];
    const find: Collection["find"] = (query, call) => {
      limits.push(query.limit);
      return collection.find(query, call);
    };
    const completed = complete({ ...collection, find }, "key");
    const sizes: number[] = [];
    for await (const batch of completed.iterate({ sort: [{ path: ["key"], dir: "asc" }], limit: 3 }, { batch: 2 })) sizes.push(batch.length);
    expect(sizes).toEqual([2, 1]);
    expect(limits).toEqual([2, 1]);
  });

  test("findGroups asks no more often than there are groups, and of one group once", async () => {
    const { collection } = await openThings();
    const quantities = [...Array(50).fill(1), 2, ...Array(50).fill(3), 4, 2, 2, 4];
    for (const [index, quantity] of quantities.entries()) {
      await collection.insert({ key: `k${String(index).padStart(3, "0")}`, quantity, ...stamp() }, {});
    }
    let calls = 0;
    const find: Collection["find"] = (query, call) => {
      calls += 1;
      return collection.find(query, call);
    };
    const completed = complete({ ...collection, find }, "key");
    const found = await completed.findGroups({ key: "quantity", keys: [1, 2, 3, 4, 5], limit: 2 }, {});
    expect(found.map((row) => `${row["quantity"]} ${row["key"]}`).sort()).toEqual(
      ["1 a", "1 b", "2 k050", "2 k102", "3 k051", "3 k052", "4 k101", "4 k104"].sort(),
    );
    expect(calls).toBeLessThanOrEqual(5);
    calls = 0;
    expect(await completed.findGroups({ key: "quantity", keys: [2, 2n, 2], limit: 5 }, {})).toHaveLength(3);
    expect(calls).toBe(1);
  });

  test("findGroups asks with the caller's tenant and signal, and a SQL store answers no call that has ended", async () => {
    const { collection } = await openThings();
    const calls: unknown[] = [];
    const find: Collection["find"] = (query, call) => {
      calls.push(call);
      return collection.find(query, call);
    };
    const call = { tenant: "acme", signal: new AbortController().signal };
    expect(await complete({ ...collection, find }, "key").findGroups({ key: "quantity", keys: [1], limit: 1 }, call)).toEqual([]);
    expect(calls).toEqual([call]);
    const storage = sqliteStorage({ path: ":memory:" });
    await storage.migrate?.([model]);
    const ended = storage
      .collection(model)
      .findGroups?.({ key: "quantity", keys: [1], limit: 1 }, { signal: AbortSignal.abort(new RangeError("ended")) });
    await expect(ended).rejects.toThrow("ended");
    await storage.close?.();
  });

  test("findGroups does not go on for ever over a store that takes other keys for the same", async () => {
    const { collection } = await openThings();
    const find: Collection["find"] = (query, call) => collection.find({ ...query, filter: undefined }, call);
    const completed = complete({ ...collection, find }, "key");
    await expect(completed.findGroups({ key: "quantity", keys: [2], limit: 1 }, {})).rejects.toThrow(
      'whose "quantity" is not one of the requested values',
    );
  });

  test("names what is wrong when the id field has another name", async () => {
    const { collection } = await openThings();
    await expect(completeWrites(collection).removeMany(undefined, {})).rejects.toThrow('have no id in "id"');
  });
});
