import assert from "node:assert/strict";
import { assertConflict, assertSameRow, assertValues, assertWritten, idsOf, writtenRow } from "../assertions.js";
import { uniqueCode, withId } from "../model.js";
import type { Scenario } from "../scenario.js";

const uniqueEmail = { unique: [{ fields: ["email"], fold: true }] };
const byCode = { merge: ["name", "quantity"], key: ["code"] };

export const insertManyScenarios: readonly Scenario[] = [
  {
    name: "insertMany returns one outcome per row, in order",
    async run(stage) {
      const items = await stage.open();
      const rows = ["c", "a", "b"].map((id) => items.row({ id, name: `n${id}`, tags: [id] }));
      const outcomes = await items.rows.insertMany(rows, {});
      assert.deepStrictEqual(idsOf(outcomes.map(writtenRow)), ["c", "a", "b"]);
      for (const [index, row] of rows.entries()) assertWritten(items, writtenRow(outcomes[index]), row);
      assert.ok(outcomes.every((outcome) => outcome.ok && outcome.created !== false));
    },
  },
  {
    name: "insertMany of no rows returns no outcomes",
    async run(stage) {
      const items = await stage.open();
      assert.deepStrictEqual(await items.rows.insertMany([], {}), []);
    },
  },
  {
    name: "insertMany assigns ids in the order of the rows",
    async run(stage) {
      const items = await stage.open(withId("int", "store"));
      const outcomes = await items.rows.insertMany(
        ["a", "b", "c"].map((name) => items.row({ name })),
        {},
      );
      assert.deepStrictEqual(idsOf(outcomes.map(writtenRow)), [1, 2, 3]);
      assertValues(await items.rows.get(2, {}), { name: "b" });
    },
  },
  {
    name: "insertMany of rows with different members stores each row's own members",
    async run(stage) {
      const items = await stage.open();
      await items.rows.insertMany([items.row({ id: "a", name: "x" }), items.row({ id: "b", quantity: 1, serial: -5n, at: new Date(-1) })], {});
      assertValues(await items.rows.get("a", {}), { name: "x", quantity: null });
      assertValues(await items.rows.get("b", {}), { name: null, quantity: 1, serial: -5n, at: new Date(-1) });
    },
  },
  {
    name: "insertMany accepts 2,500 rows",
    async run(stage) {
      const items = await stage.open();
      const rows = Array.from({ length: 2_500 }, (_, index) => items.row({ id: `r${index}`, quantity: index }));
      const outcomes = await items.rows.insertMany(rows, {});
      assert.deepStrictEqual(
        outcomes.map((outcome) => writtenRow(outcome)["quantity"]),
        rows.map((row) => row["quantity"]),
      );
      assert.equal(await items.rows.count(undefined, {}), 2_500);
    },
  },
  {
    name: "a conflict with a stored row does not affect the other rows of the batch",
    async run(stage) {
      const items = await stage.open(uniqueCode);
      await items.add({ id: "a", code: "1" });
      const outcomes = await items.rows.insertMany(
        [items.row({ id: "b", code: "2" }), items.row({ id: "c", code: "1" }), items.row({ id: "a" }), items.row({ id: "d" })],
        {},
      );
      assert.equal(writtenRow(outcomes[0])["id"], "b");
      assertConflict(outcomes[1], ["code"]);
      assertConflict(outcomes[2], ["id"]);
      assert.equal(writtenRow(outcomes[3])["id"], "d");
      assert.equal(await items.rows.count(undefined, {}), 3);
    },
  },
  {
    name: "of two rows of a batch with the same key the first is inserted",
    async run(stage) {
      const items = await stage.open(uniqueEmail);
      const rows = [items.row({ id: "a", email: "x@x.org" }), items.row({ id: "b", email: "X@x.org" }), items.row({ id: "a", email: "y@x.org" })];
      const outcomes = await items.rows.insertMany(rows, {});
      assert.equal(writtenRow(outcomes[0])["id"], "a");
      assertConflict(outcomes[1], ["email"]);
      assertConflict(outcomes[2], ["id"]);
      assertValues(await items.rows.get("a", {}), { email: "x@x.org" });
    },
  },
  {
    name: "rows of a batch without a key do not conflict",
    async run(stage) {
      const items = await stage.open(uniqueCode);
      const outcomes = await items.rows.insertMany([items.row({ id: "a", code: null }), items.row({ id: "b" })], {});
      assert.equal(outcomes.filter((outcome) => outcome.ok).length, 2);
    },
  },
  {
    name: "skip reports conflicting rows and changes no stored row",
    async run(stage) {
      const items = await stage.open(uniqueCode);
      const before = await items.add({ id: "a", code: "1" });
      const rows = [items.row({ id: "b", code: "1" }), items.row({ id: "c", code: "2" }), items.row({ id: "d", code: "2" })];
      const outcomes = await items.rows.insertMany(rows, { onConflict: "skip" });
      assert.deepStrictEqual(
        outcomes.map((outcome) => (outcome.ok ? "in" : outcome.why)),
        ["conflict", "in", "conflict"],
      );
      assertSameRow(await items.rows.get("a", {}), before);
      assert.equal(await items.rows.count(undefined, {}), 2);
    },
  },
  {
    name: "merge sets the named columns of the row with the key",
    async run(stage) {
      const items = await stage.open(uniqueCode);
      await items.add({ id: "a", code: "1", name: "before", quantity: 1, tags: ["kept"] });
      const row = items.row({ id: "b", code: "1", name: "after", tags: ["ignored"] });
      const [outcome] = await items.rows.insertMany([row], { onConflict: byCode });
      assert.ok(outcome?.ok && outcome.created === false);
      assertValues(outcome.row, {
        id: "a",
        code: "1",
        name: "after",
        quantity: null,
        tags: ["kept"],
        ...items.expected({ _version: row._version, _updatedAt: row._updatedAt }),
      });
      assertSameRow(await items.rows.get("a", {}), outcome.row);
      assert.equal(await items.rows.get("b", {}), undefined);
    },
  },
  {
    name: "merge inserts the rows whose key is free",
    async run(stage) {
      const items = await stage.open(uniqueCode);
      await items.add({ id: "a", code: "1", name: "before" });
      const rows = [
        items.row({ id: "b", code: "2", name: "new" }),
        items.row({ id: "c", code: "1", name: "merged" }),
        items.row({ id: "d", name: "no key" }),
      ];
      const outcomes = await items.rows.insertMany(rows, { onConflict: byCode });
      assert.deepStrictEqual(
        outcomes.map((outcome) => outcome.ok && outcome.created !== false),
        [true, false, true],
      );
      assert.deepStrictEqual(idsOf(outcomes.map(writtenRow)), ["b", "a", "d"]);
    },
  },
  {
    name: "merging the same key twice in a batch keeps the last values",
    async run(stage) {
      const items = await stage.open(uniqueCode);
      const rows = [
        items.row({ id: "a", code: "1", name: "first" }),
        items.row({ id: "b", code: "1", name: "second" }),
        items.row({ id: "c", code: "1", name: "third" }),
      ];
      const outcomes = await items.rows.insertMany(rows, { onConflict: byCode });
      assert.deepStrictEqual(
        outcomes.map((outcome) => outcome.ok && outcome.created !== false),
        [true, false, false],
      );
      assertValues(await items.rows.get("a", {}), { name: "third" });
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "merge finds a folded key in another case",
    async run(stage) {
      const items = await stage.open(uniqueEmail);
      await items.add({ id: "a", email: "Ada@x.org", name: "before" });
      const outcomes = await items.rows.insertMany([items.row({ id: "b", email: "ada@X.org", name: "after" })], {
        onConflict: { merge: ["name"], key: ["email"] },
      });
      assertValues(writtenRow(outcomes[0]), { id: "a", email: "Ada@x.org", name: "after" });
    },
  },
  {
    name: "merge on the id sets columns of the row of that id",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a", name: "before", quantity: 1 });
      const outcomes = await items.rows.insertMany([items.row({ id: "a", name: "after" })], { onConflict: { merge: ["name"], key: ["id"] } });
      assertValues(writtenRow(outcomes[0]), { id: "a", name: "after", quantity: 1 });
    },
  },
  {
    name: "merge on one key reports a conflict of another",
    async run(stage) {
      const items = await stage.open({ unique: [{ fields: ["code"] }, { fields: ["email"], fold: true }] });
      const before = await items.add({ id: "a", code: "1", email: "a@x.org" });
      const outcomes = await items.rows.insertMany([items.row({ id: "b", code: "2", email: "A@x.org" }), items.row({ id: "c", code: "3" })], {
        onConflict: byCode,
      });
      assertConflict(outcomes[0], ["email"]);
      assert.equal(writtenRow(outcomes[1])["id"], "c");
      assertSameRow(await items.rows.get("a", {}), before);
    },
  },
  {
    name: "merge never changes a row of another tenant",
    async run(stage) {
      const items = await stage.open(uniqueCode);
      const other = await items.add({ id: "a", code: "1", name: "other" }, { tenant: "globex" });
      const outcomes = await items.rows.insertMany([items.row({ id: "b", code: "1", name: "mine" })], { tenant: "acme", onConflict: byCode });
      assert.ok(outcomes[0]?.ok && outcomes[0].created !== false);
      assertSameRow(await items.rows.get("a", { tenant: "globex" }), other);
    },
  },
  {
    name: "a repeated batch with operation ids returns the rows of the first one",
    async run(stage) {
      const items = await stage.open(withId("int", "store"));
      const operationIds = ["b/0", "b/1"];
      const batch = () => items.rows.insertMany([items.row({ name: "x" }), items.row({ name: "y" })], { operationIds });
      const first = (await batch()).map(writtenRow);
      const repeat = await batch();
      assert.ok(repeat.every((outcome) => outcome.ok && outcome.created === false));
      for (const [index, row] of first.entries()) assertSameRow(writtenRow(repeat[index]), row);
      assert.equal(await items.rows.count(undefined, {}), 2);
    },
  },
  {
    name: "a repeated batch inserts only the rows that are missing",
    async run(stage) {
      const items = await stage.open(uniqueCode);
      await items.rows.insert(items.row({ id: "a", code: "1" }), { operationId: "b/0" });
      const rows = [items.row({ id: "a", code: "1" }), items.row({ id: "b", code: "2" })];
      const outcomes = await items.rows.insertMany(rows, { operationIds: ["b/0", "b/1"] });
      assert.deepStrictEqual(
        outcomes.map((outcome) => outcome.ok && outcome.created !== false),
        [false, true],
      );
    },
  },
  {
    name: "returning id returns the ids, in order",
    async run(stage) {
      const items = await stage.open(withId("int", "store"));
      const outcomes = await items.rows.insertMany([items.row({ name: "x" }), items.row({ name: "y" })], { returning: "id" });
      assert.deepStrictEqual(idsOf(outcomes.map(writtenRow)), [1, 2]);
    },
  },
  {
    name: "returning none still returns an outcome for each row",
    async run(stage) {
      const items = await stage.open(uniqueCode);
      const rows = [items.row({ id: "a", code: "1" }), items.row({ id: "b", code: "1" }), items.row({ id: "c", code: "2" })];
      const outcomes = await items.rows.insertMany(rows, { returning: "none" });
      assert.deepStrictEqual(
        outcomes.map((outcome) => outcome.ok),
        [true, false, true],
      );
    },
  },
];
