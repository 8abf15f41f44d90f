import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Filter, Storage } from "restwright";
import { type SqlExecutor, sqlStorage } from "restwright/sql";
import { describe, expect, onTestFinished, test } from "vitest";
import { sqliteExecutor } from "../../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";

const model: CollectionModel = {
  name: "parcels",
  id: "id",
  idFrom: "caller",
  columns: [
    { name: "id", kind: "text" },
    { name: "status", kind: "text" },
  ],
  unique: [],
  indexes: [[["status"]]],
  searchable: [],
};
const open: Filter = { op: "eq", path: ["status"], value: "open" };
let ids = 0;
const row = (status = "open") => ({ id: `p${++ids}`, status, _version: "v", _updatedAt: new Date(0) });

/** A storage, and how many counts its engine has run. */
async function storageOn(path: string): Promise<{ readonly storage: Storage; readonly counts: () => number }> {
  const executor = sqliteExecutor({ path });
  let counts = 0;
  const counting: SqlExecutor = new Proxy(executor, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...given: [{ readonly text?: string }]) => {
        if (name === "query" && given[0].text?.startsWith('select count(*) as "count"') === true) counts += 1;
        return Reflect.apply(member, target, given);
      };
    },
  });
  const storage = sqlStorage(counting);
  await storage.migrate?.([model]);
  onTestFinished(() => storage.close?.());
  return { storage, counts: () => counts };
}

function filePath(): string {
  const folder = mkdtempSync(join(tmpdir(), "restwright-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "data.db");
}

describe.each([
  ["in memory", () => ":memory:"],
  ["in a file", filePath],
])("a count of SQLite %s", (_, path) => {
  test("is made once between two commits, for each filter, limit and tenant", async () => {
    const { storage, counts } = await storageOn(path());
    const rows = storage.collection(model);
    const [first, second] = [row(), row()];
    await rows.insertMany?.([first, second, row("done")], {});
    const count = (filter: Filter | undefined, call: { tenant?: string; max?: number } = {}) => rows.count?.(filter, call);
    for (let time = 0; time < 2; time++) {
      expect([await count(open), await count(undefined), await count(open, { max: 1 }), await count(open, { tenant: "t" })]).toEqual([2, 3, 1, 0]);
      expect(counts()).toBe(4);
    }
    await rows.insert(row(), {});
    expect([await count(open), counts()]).toEqual([3, 5]);
    await rows.update(first.id, { status: "done", _version: "w", _updatedAt: new Date(1) }, {});
    expect([await count(open), counts()]).toEqual([2, 6]);
    await rows.remove(second.id, {});
    expect([await count(open), counts()]).toEqual([1, 7]);
  });

  test("in a transaction sees the rows of the transaction, and only those that commit count outside", async () => {
    const { storage } = await storageOn(path());
    const rows = storage.collection(model);
    expect(await rows.count?.(open, {})).toBe(0);
    const rolledBack = storage.transaction?.(async (tx) => {
      await tx.collection(model).insert(row(), {});
      expect(await tx.collection(model).count?.(open, {})).toBe(1);
      throw new Error("No.");
    });
    await expect(rolledBack).rejects.toThrow("No.");
    expect(await rows.count?.(open, {})).toBe(0);
    await storage.transaction?.(async (tx) => {
      await tx.collection(model).insert(row(), {});
      expect(await tx.collection(model).count?.(open, {})).toBe(1);
    });
    expect(await rows.count?.(open, {})).toBe(1);
  });

  test("that is asked for while a transaction is open is the count of some commit", async () => {
    const { storage } = await storageOn(path());
    const rows = storage.collection(model);
    const asked: Promise<number | undefined>[] = [];
    await storage.transaction?.(async (tx) => {
      for (let time = 0; time < 10; time++) {
        await tx.collection(model).insert(row(), {});
        asked.push(Promise.resolve(rows.count?.(open, {})));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    for (const counted of await Promise.all(asked)) expect([0, 10]).toContain(counted);
    expect(await rows.count?.(open, {})).toBe(10);
  });
});

test("a count of a file sees what other connections commit", async () => {
  const path = filePath();
  const [one, other] = [await storageOn(path), await storageOn(path)];
  for (let expected = 1; expected <= 20; expected++) {
    await other.storage.collection(model).insert(row(), {});
    expect(await one.storage.collection(model).count?.(open, {})).toBe(expected);
    expect(await one.storage.collection(model).count?.(open, {})).toBe(expected);
  }
  expect(one.counts()).toBe(20);
});
