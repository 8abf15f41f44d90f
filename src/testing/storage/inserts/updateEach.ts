import assert from "node:assert/strict";
import type { Row, RowUpdate } from "../../../ground/storage/collection.js";
import type { RowValues } from "../../../ground/storage/values/rowValues.js";
import { assertConflict, assertMissing, assertSameRow, assertStale, assertValues, writtenRow } from "../assertions.js";
import { uniqueCode } from "../model.js";
import type { Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";

const given = [
  { id: "a", name: "Ada", quantity: 1, code: "1", at: new Date(7), address: { city: "Paris", floor: 3 }, tags: ["x"] },
  { id: "b", name: "Bob", quantity: 2, code: "2", at: new Date(8), address: { city: "Rome" } },
  { id: "c", name: "Cleo", quantity: 3 },
];

/** The rows of `given`, and how to make updates of them. */
interface Opened {
  readonly items: Items;
  readonly stored: (id: string) => Promise<Row>;
  /** An update of a row that has been read. */
  readonly known: (id: string, values: RowValues) => Promise<RowUpdate>;
}

async function open(stage: Stage): Promise<Opened> {
  const items = await stage.open(uniqueCode);
  await items.addAll(given);
  const stored = async (id: string) => {
    const row = await items.rows.get(id, {});
    assert.ok(row !== undefined, `the row "${id}" is missing`);
    return row;
  };
  const known = async (id: string, values: RowValues): Promise<RowUpdate> => {
    const before = await stored(id);
    return { id, patch: items.row(values), ifVersion: before._version, before };
  };
  return { items, stored, known };
}

export const updateEachScenarios: readonly Scenario[] = [
  {
    name: "updateEach gives each row its own values, keeps the others, and returns the rows in order",
    async run(stage) {
      const { items, stored, known } = await open(stage);
      const updates = [
        await known("c", { name: "Cora", quantity: null, address: { city: "Oslo" } }),
        await known("a", { address: { floor: 4, city: "Paris" }, at: new Date(9) }),
        await known("b", { name: "Bob", quantity: 5 }),
      ];
      const outcomes = await items.rows.updateEach(updates, {});
      const rows = [await stored("c"), await stored("a"), await stored("b")];
      assertValues(rows[0], { name: "Cora", quantity: null, address: { city: "Oslo" }, code: null });
      assertValues(rows[1], { name: "Ada", quantity: 1, code: "1", at: new Date(9), address: { city: "Paris", floor: 4 }, tags: ["x"] });
      assertValues(rows[2], { name: "Bob", quantity: 5, code: "2", at: new Date(8), address: { city: "Rome" } });
      for (const [index, row] of rows.entries()) {
        assertSameRow(writtenRow(outcomes[index]), row);
        assertValues(row, items.expected({ _version: updates[index]?.patch._version }));
      }
      assert.deepStrictEqual(await matching(items, "cora"), ["c"]);
      assert.deepStrictEqual(await matching(items, "cleo"), []);
    },
  },
  {
    name: "updateEach updates rows that were not read, and replaces whole ones",
    async run(stage) {
      const { items, stored, known } = await open(stage);
      const updates = [
        { id: "a", patch: items.row({ quantity: 9 }) },
        await known("b", { quantity: 8 }),
        { id: "c", patch: items.row({ quantity: 7 }), replace: true },
      ];
      const outcomes = await items.rows.updateEach(updates, {});
      for (const [index, id] of ["a", "b", "c"].entries()) assertSameRow(writtenRow(outcomes[index]), await stored(id));
      assertValues(await stored("a"), { name: "Ada", quantity: 9 });
      assertValues(await stored("c"), { name: null, quantity: 7 });
    },
  },
  {
    name: "updateEach of nothing does nothing",
    async run(stage) {
      const { items } = await open(stage);
      assert.deepStrictEqual(await items.rows.updateEach([], {}), []);
    },
  },
  {
    name: "updateEach leaves out rows that are missing, stale or of another tenant, and writes the others",
    needs: { compareAndSet: true },
    async run(stage) {
      const { items, stored, known } = await open(stage);
      const updates = [await known("a", { quantity: 9 }), await known("b", { quantity: 9 }), await known("c", { quantity: 9 })];
      const newer = writtenRow(await items.rows.update("a", items.row({ quantity: 4 }), {}));
      await items.rows.remove("b", {});
      const [stale, missing, written] = await items.rows.updateEach(updates, {});
      assertStale(stale, newer._version);
      assertMissing(missing);
      assertSameRow(writtenRow(written), await stored("c"));
      assertSameRow(await stored("a"), newer);
      const [foreign] = await items.rows.updateEach([await known("c", { quantity: 1 })], { tenant: "acme" });
      assertMissing(foreign);
      assertValues(await stored("c"), { quantity: 9 });
    },
  },
  {
    name: "updateEach finds the values of earlier updates of the same call in the same row",
    needs: { compareAndSet: true },
    async run(stage) {
      const { items, stored, known } = await open(stage);
      const first = await known("a", { quantity: 9 });
      const [one, two] = await items.rows.updateEach([first, await known("a", { quantity: 10 }), await known("b", { quantity: 3 })], {});
      assertStale(two, writtenRow(one)._version);
      assertValues(await stored("a"), { quantity: 9 });
    },
  },
  {
    name: "updateEach lets a row take a unique key that an earlier one frees",
    async run(stage) {
      const { items, stored, known } = await open(stage);
      const outcomes = await items.rows.updateEach(
        [await known("a", { code: "3" }), await known("b", { code: "1" }), await known("c", { code: "2" })],
        {},
      );
      for (const outcome of outcomes) writtenRow(outcome);
      assert.deepStrictEqual([(await stored("a"))["code"], (await stored("b"))["code"], (await stored("c"))["code"]], ["3", "1", "2"]);
    },
  },
  {
    name: "updateEach refuses a unique key that only a later row frees, or that an earlier one has taken",
    async run(stage) {
      const { items, stored, known } = await open(stage);
      const updates = [await known("c", { code: "1" }), await known("a", { code: "3" }), await known("b", { code: "3", quantity: 7 })];
      const [first, second, third] = await items.rows.updateEach(updates, {});
      assertConflict(first, ["code"]);
      assertSameRow(writtenRow(second), await stored("a"));
      assertConflict(third, ["code"]);
      assertValues(await stored("b"), { code: "2", quantity: 2 });
      assertValues(await stored("c"), { code: null });
    },
  },
  {
    name: "updateEach leaves the fields that an update does not name as they are stored, whatever the others set",
    async run(stage) {
      const { items, stored, known } = await open(stage);
      const named = await known("b", { name: "Bo" });
      assert.ok(named.before !== undefined);
      // As if another program had changed the row since it was read, without a new version.
      const updates = [await known("a", { quantity: 7 }), { ...named, before: { ...named.before, quantity: 99 } }, await known("c", { quantity: 8 })];
      await items.rows.updateEach(updates, {});
      assertValues(await stored("a"), { name: "Ada", quantity: 7 });
      assertValues(await stored("b"), { name: "Bo", quantity: 2 });
      assertValues(await stored("c"), { name: "Cleo", quantity: 8 });
    },
  },
  {
    name: "updateEach refuses the taken key of another row in a transaction that goes on",
    needs: { transactions: true },
    async run(stage) {
      const { items, stored, known } = await open(stage);
      const updates = [await known("a", { code: "2" }), await known("c", { code: "7" })];
      await stage.storage.transaction?.(async (tx) => {
        const rows = items.in(tx);
        const [first, second] = await rows.updateEach(updates, {});
        assertConflict(first, ["code"]);
        writtenRow(second);
        writtenRow(await rows.insert(items.row({ id: "d", code: "8" }), {}));
      });
      assertValues(await stored("a"), { code: "1" });
      assertValues(await stored("c"), { code: "7" });
      assertValues(await stored("d"), { code: "8" });
    },
  },
];

/** The ids of the rows whose name is this, without regard to case. */
async function matching({ rows }: Items, name: string): Promise<unknown[]> {
  const found = await rows.find({ filter: { op: "like", path: ["name"], parts: [name], fold: true }, sort: [], limit: 10 }, {});
  return found.map(({ id }) => id);
}
