import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChangeLog, RowChange } from "../../ground/storage/changes.js";
import type { CollectionModel } from "../../ground/storage/model.js";
import { writtenRow } from "./assertions.js";
import { itemModel, withId } from "./model.js";
import type { Scenario } from "./scenario.js";
import type { Items, Stage } from "./stage.js";

const needs = { changes: true } as const;
const kept: Partial<CollectionModel> = { keepsChanges: true };

function logOf({ storage }: Stage): ChangeLog {
  assert.ok(storage.changes !== undefined, `${storage.name} has no changes`);
  return storage.changes;
}

/** Follows a collection from where its log stands now. */
async function follow(stage: Stage, { model }: Items, limit = 500): Promise<() => Promise<readonly RowChange[]>> {
  const log = logOf(stage);
  let position = await log.head(model);
  return async () => {
    const found: RowChange[] = [];
    for (;;) {
      const page = await log.read(model, position, limit);
      assert.ok(page !== undefined, "the position is known");
      assert.ok(page.changes.length <= limit, `at most ${limit} changes`);
      found.push(...page.changes);
      position = page.position;
      if (!page.hasMore) return found;
    }
  };
}

const told = (changes: readonly RowChange[]) => changes.map(({ kind, id }) => `${kind} ${String(id)}`);

export const changeScenarios: readonly Scenario[] = [
  {
    name: "each write of a row is a change, with the row before",
    needs,
    async run(stage) {
      const items = await stage.open(kept);
      const read = await follow(stage, items);
      const first = await items.add({ id: "a", name: "before", quantity: 1 });
      const second = writtenRow(await items.rows.update("a", { name: "after", ...stage.stamp() }, {}));
      writtenRow(await items.rows.remove("a", {}));
      const changes = await read();
      assert.deepStrictEqual(told(changes), ["create a", "update a", "remove a"]);
      assert.deepStrictEqual(
        changes.map(({ before }) => before?._version),
        [undefined, first._version, second._version],
      );
      assert.equal(changes[1]?.before?.["name"], "before");
      assert.equal(changes[2]?.before?.["name"], "after");
      assert.deepStrictEqual(await read(), []);
    },
  },
  {
    name: "writes of many rows are changes of each",
    needs,
    async run(stage) {
      const items = await stage.open(kept);
      const read = await follow(stage, items);
      await items.rows.insertMany([items.row({ id: "a" }), items.row({ id: "b" }), items.row({ id: "c", name: "kept" })], {});
      const updates = ["a", "b"].map((id) => ({ id, patch: { name: "each", ...stage.stamp() } }));
      await items.rows.updateEach(updates, {});
      await items.rows.updateMany({ op: "eq", path: ["name"], value: "each" }, { quantity: 2, ...stage.stamp() }, {});
      await items.rows.removeMany({ op: "eq", path: ["quantity"], value: 2 }, {});
      const changes = told(await read());
      for (const [kind, ids] of [
        ["create", "abc"],
        ["update", "aabb"],
        ["remove", "ab"],
      ] as const) {
        const of = changes.filter((change) => change.startsWith(kind)).map((change) => change.slice(-1));
        assert.equal([...of].sort().join(""), ids, kind);
      }
    },
  },
  {
    name: "a write that is refused is no change",
    needs,
    async run(stage) {
      const items = await stage.open({ ...kept, unique: [{ fields: ["code"] }] });
      await items.addAll([
        { id: "a", code: "1" },
        { id: "b", code: "2" },
      ]);
      const read = await follow(stage, items);
      await items.rows.insert(items.row({ id: "c", code: "1" }), {});
      await items.rows.update("b", { code: "1", ...stage.stamp() }, {});
      await items.rows.update("a", { name: "x", ...stage.stamp() }, { ifVersion: "other" });
      await items.rows.remove("missing", {});
      assert.deepStrictEqual(await read(), []);
    },
  },
  {
    name: "the row before a write has every value as it was stored",
    needs,
    async run(stage) {
      const items = await stage.open(kept);
      const values = {
        ...{ name: `"quoted" \\ 👩‍👩‍👧`, email: null, code: "", quantity: -9_007_199_254_740_991, price: 0.1 + 0.2, active: false },
        ...{ serial: 9_223_372_036_854_775_807n, at: new Date(-1), address: { city: "Bergen", n: 1.5, list: [null, { a: [] }] }, tags: ["a", "b"] },
      };
      const rows = [
        { ...values, id: "a" },
        { ...values, id: "b", price: 5e-324, serial: -9_223_372_036_854_775_808n, tags: [], address: { "": "x" } },
        { ...values, id: "c", price: 1.797_693_134_862_315_7e308, active: true, at: new Date(8.64e14), address: null },
        { id: "d" },
      ];
      await items.addAll(rows);
      const before = await items.rows.getMany(["a", "b", "c", "d"], {});
      const read = await follow(stage, items);
      for (const { id } of rows) writtenRow(await items.rows.remove(id, {}));
      const changes = await read();
      assert.deepStrictEqual(new Map(changes.map(({ id, before: row }) => [id, row])), new Map(before.map((row) => [row["id"], row])));
    },
  },
  {
    name: "ids are those of the rows, whatever their kind",
    needs,
    async run(stage) {
      for (const change of [withId("int", "store"), withId("bigint", "store"), withId("int", "caller"), withId("bigint", "caller")]) {
        const items = await stage.open({ ...kept, ...change });
        const isBig = change.columns?.[0]?.kind === "bigint";
        const read = await follow(stage, items);
        const id = change.idFrom === "store" ? {} : { id: isBig ? 2n ** 62n : 7 };
        const row = await items.add({ ...id, name: "x" });
        assert.deepStrictEqual(
          (await read()).map((each) => each.id),
          [row["id"]],
        );
      }
    },
  },
  {
    name: "each change has the tenant of its row",
    needs,
    async run(stage) {
      const items = await stage.open(kept);
      const read = await follow(stage, items);
      for (const tenant of ["a", undefined, "b"]) await items.add({ id: "same" }, { tenant });
      const tenants = (await read()).map(({ tenant }) => tenant);
      assert.deepStrictEqual(tenants, ["a", undefined, "b"]);
    },
  },
  {
    name: "a transaction that is rolled back has no changes, and one that commits has all of them",
    needs: { ...needs, transactions: true },
    async run(stage) {
      const items = await stage.open(kept);
      const read = await follow(stage, items);
      const failed = stage.transaction(async (tx) => {
        await items.in(tx).insert(items.row({ id: "lost" }), {});
        throw new Error("on purpose");
      });
      await assert.rejects(failed, /on purpose/);
      await stage.transaction(async (tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        await assert.rejects(
          stage.transaction(async (inner) => {
            await items.in(inner).insert(items.row({ id: "inner" }), {});
            throw new Error("on purpose");
          }, tx),
        );
        await items.in(tx).insert(items.row({ id: "b" }), {});
        assert.deepStrictEqual(stage.storage.isShared === true ? await read() : [], [], "nothing is read before the commit");
      });
      assert.deepStrictEqual(told(await read()), ["create a", "create b"]);
    },
  },
  {
    name: "pages of any size have each change once",
    needs,
    async run(stage) {
      const ids = Array.from({ length: 7 }, (_, index) => `i${index}`);
      for (const limit of [1, 3, 7]) {
        const items = await stage.open(kept);
        const read = await follow(stage, items, limit);
        await items.addAll(ids.map((id) => ({ id })));
        const changes = told(await read());
        assert.deepStrictEqual(
          changes,
          ids.map((id) => `create ${id}`),
        );
      }
    },
  },
  {
    name: "one that follows positions while many write sees each change once",
    needs: { ...needs, transactions: true },
    async run(stage) {
      const items = await stage.open(kept);
      const read = await follow(stage, items, 5);
      let isWriting = true;
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let index = 0; index < 10; index += 1) {
          await stage.transaction(async (tx) => {
            await items.in(tx).insert(items.row({ id: `${writer}-${index}` }), {});
            if (index % 3 === writer % 3) await items.in(tx).insert(items.row({ id: `${writer}-${index}-second` }), {});
          });
        }
      });
      const done = Promise.all(writers).finally(() => {
        isWriting = false;
      });
      const found: RowChange[] = [];
      while (isWriting) {
        found.push(...(await read()));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await done;
      found.push(...(await read()));
      const rows = await items.rows.find({ sort: [], limit: 1_000 }, {});
      assert.deepStrictEqual(found.map(({ id }) => String(id)).sort(), rows.map((row) => String(row["id"])).sort());
    },
  },
  {
    name: "a position before changes that were dropped is unknown, and a later one is not",
    needs,
    async run(stage) {
      const log = logOf(stage);
      const items = await stage.open(kept);
      const start = await log.head(items.model);
      await items.addAll([{ id: "a" }, { id: "b" }, { id: "c" }]);
      const page = await log.read(items.model, start, 2);
      assert.ok(page !== undefined);
      await log.prune(items.model, { changes: 10, ms: 3_600_000 });
      assert.deepStrictEqual(told((await log.read(items.model, start, 9))?.changes ?? []), ["create a", "create b", "create c"]);
      const end = await log.head(items.model);
      await eventuallyDropped(log, items, start);
      assert.equal(await log.read(items.model, page.position, 9), undefined);
      assert.deepStrictEqual((await log.read(items.model, end, 9))?.changes, []);
      await items.add({ id: "d" });
      assert.deepStrictEqual(told((await log.read(items.model, end, 9))?.changes ?? []), ["create d"]);
    },
  },
  {
    name: "a text that is no position of the log is unknown",
    needs,
    async run(stage) {
      const log = logOf(stage);
      const { model } = await stage.open(kept);
      const invalid = [
        "",
        "x",
        "-1",
        "1e3",
        "1:2",
        "5:4:",
        "0:9:",
        "1:9:9",
        "1:9:3,2",
        "1:9:/1:9:/x.1",
        "9".repeat(30),
        `${"9".repeat(19)}:${"9".repeat(19)}:`,
      ];
      for (const text of invalid) assert.equal(await log.read(model, text, 9), undefined, JSON.stringify(text));
    },
  },
  {
    name: "a collection that does not keep changes has none",
    needs,
    async run(stage) {
      const items = await stage.open(kept);
      const other = await stage.open();
      const read = await follow(stage, items);
      await other.add({ id: "a" });
      assert.deepStrictEqual(await read(), []);
    },
  },
  {
    name: "a collection keeps changes from the migration on that says so, with columns that were added",
    needs,
    async run(stage) {
      const plain = await stage.open({ columns: itemModel.columns.filter(({ name }) => name !== "price") });
      await plain.add({ id: "a" });
      const items = stage.items({ ...itemModel, ...kept, name: plain.model.name });
      await stage.storage.migrate?.([items.model]);
      await stage.storage.migrate?.([{ ...items.model }]);
      const read = await follow(stage, items);
      writtenRow(await items.rows.update("a", { price: 2.5, ...stage.stamp() }, {}));
      writtenRow(await items.rows.remove("a", {}));
      const changes = await read();
      assert.deepStrictEqual(told(changes), ["update a", "remove a"]);
      assert.equal(changes[1]?.before?.["price"], 2.5);
    },
  },
];

/** Changes that an open transaction of another test may still need are dropped when it has ended. */
async function eventuallyDropped(log: ChangeLog, { model }: Items, position: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    await log.prune(model, { changes: 0, ms: 3_600_000 });
    if ((await log.read(model, position, 9)) === undefined) return;
    await sleep(50);
  }
  assert.fail("the changes were not dropped");
}
