import assert from "node:assert/strict";
import type { NewRow, Row } from "../../../ground/storage/collection.js";
import { assertConflict, assertSameRow, assertValues, assertWritten, idsOf, writtenRow } from "../assertions.js";
import { uniqueCode, withId } from "../model.js";
import type { Scenario } from "../scenario.js";
import type { Items } from "../stage.js";

/** Positions in a batch of two rows with the same key. Stores may split the batch into statements between them. */
const repeats: readonly (readonly [first: number, repeat: number])[] = [
  [0, 1],
  [0, 249],
  [49, 50],
  [63, 64],
  [64, 127],
  [99, 100],
  [128, 191],
  [248, 249],
];

/** Values of every kind that are easily rounded, truncated or confused; adjacent rows have different ones. */
const exact: readonly Readonly<Record<string, unknown>>[] = [
  { name: "", quantity: 0, price: 0.1 + 0.2, serial: 2n ** 63n - 1n, active: true, at: new Date(0), address: {}, tags: [] },
  {
    name: "null",
    quantity: Number.MAX_SAFE_INTEGER,
    price: 5e-324,
    serial: -(2n ** 63n),
    active: false,
    at: new Date(-1),
    address: "text",
    tags: [""],
  },
  { name: 'q"\\\n\u2028 😀', quantity: -1, price: 1e308, serial: 9_007_199_254_740_993n, at: new Date("9999-12-31T23:59:59.999Z"), address: 42 },
  { name: "e\u0301", price: 3, serial: 0n, active: null, address: { "a.b": [null, true, 1e21], "": { c: "1" } }, tags: ["1", "x"] },
  {},
];

export const insertManyRowsScenarios: readonly Scenario[] = [
  {
    name: "insertMany of 250 rows stores values of every kind unchanged",
    async run(stage) {
      const items = await stage.open();
      const rows = many(items, 250, (index) => ({ id: idAt(index), ...exact[index % exact.length] }));
      const outcomes = await items.rows.insertMany(rows, {});
      for (const [index, row] of rows.entries()) assertWritten(items, writtenRow(outcomes[index]), row);
      const stored = await items.rows.getMany(idsOf(rows).map(String), {});
      const byId = new Map(stored.map((row) => [row["id"], row]));
      for (const row of rows) assertWritten(items, byId.get(row["id"]), row);
    },
  },
  {
    name: "of two rows among 250 with the same key the first is inserted, at any positions",
    async run(stage) {
      for (const [first, repeat] of repeats) {
        const items = await stage.open(uniqueCode);
        const rows = many(items, 250, (index) => ({ id: idAt(index), code: String(index === repeat ? first : index) }));
        const outcomes = await items.rows.insertMany(rows, {});
        for (const [index, outcome] of outcomes.entries()) {
          if (index === repeat) assertConflict(outcome, ["code"]);
          else assert.equal(writtenRow(outcome)["id"], idAt(index));
        }
        assert.equal(await items.rows.count(undefined, {}), 249);
      }
    },
  },
  {
    name: "of 250 rows, each tenth with a taken key, the others are inserted",
    async run(stage) {
      const items = await stage.open(uniqueCode);
      await items.rows.insertMany(
        many(items, 25, (index) => ({ id: `held ${index}`, code: String(index * 10) })),
        {},
      );
      const outcomes = await items.rows.insertMany(
        many(items, 250, (index) => ({ id: idAt(index), code: String(index) })),
        {},
      );
      for (const [index, outcome] of outcomes.entries()) {
        if (index % 10 === 0) assertConflict(outcome, ["code"]);
        else assert.equal(writtenRow(outcome)["id"], idAt(index));
      }
      assert.equal(await items.rows.count(undefined, {}), 250);
    },
  },
  {
    name: "a row that conflicts on one key leaves its other key free for a later row of the batch",
    async run(stage) {
      const items = await stage.open({ unique: [{ fields: ["code"] }, { fields: ["email"], fold: true }] });
      await items.add({ id: "held", code: "held" });
      const rows = many(items, 20, (index) => ({ id: idAt(index), code: String(index), email: `${index}@x.org` }));
      rows[2] = items.row({ id: "refused", code: "held", email: "9@x.org" });
      const outcomes = await items.rows.insertMany(rows, {});
      assertConflict(outcomes[2], ["code"]);
      assertValues(writtenRow(outcomes[9]), { id: idAt(9), email: "9@x.org" });
    },
  },
  {
    name: "each of 250 rows, some with given ids, is found by its returned id",
    async run(stage) {
      const items = await stage.open(withId("int", "store"));
      const rows = many(items, 250, (index) => ({ name: `n${index}`, ...(index % 7 === 3 ? { id: 10_000 - index } : undefined) }));
      const written = (await items.rows.insertMany(rows, {})).map(writtenRow);
      assert.equal(new Set(idsOf(written)).size, 250);
      for (const [index, row] of rows.entries()) {
        const id = written[index]?.["id"] as number;
        assert.equal(id, row["id"] ?? id);
        assertValues(await items.rows.get(id, {}), items.expected({ name: `n${index}`, _version: row._version }));
      }
    },
  },
  {
    name: "a repeated batch of 250 with operation ids returns the rows of the first one and inserts new rows",
    async run(stage) {
      const items = await stage.open(withId("int", "store"));
      const operationIds = Array.from({ length: 250 }, (_, index) => `b/${index}`);
      const batch = (size: number) =>
        items.rows.insertMany(
          many(items, size, (index) => ({ name: `n${index}` })),
          { operationIds },
        );
      const first = (await batch(200)).map(writtenRow);
      const repeat = await batch(250);
      for (const [index, row] of first.entries()) assertSameRow(writtenRow(repeat[index]), row);
      assert.deepStrictEqual(
        repeat.map((outcome) => outcome.ok && outcome.created !== false),
        repeat.map((_, index) => index >= 200),
      );
      assert.equal(await items.rows.count(undefined, {}), 250);
    },
  },
  {
    name: "returning none inserts rows with assigned ids, whether or not it returns them",
    async run(stage) {
      const items = await stage.open({ ...withId("int", "store"), ...uniqueCode });
      const code = (index: number) => (index === 70 ? "5" : String(index));
      const rows = many(items, 100, (index) => ({ name: `n${index}`, code: code(index) }));
      const outcomes = await items.rows.insertMany(rows, { returning: "none" });
      assertConflict(outcomes[70], ["code"]);
      const stored = await items.rows.find({ sort: [{ path: ["id"], dir: "asc" }], limit: 200 }, {});
      assert.deepStrictEqual(
        stored.map((row) => row["name"]),
        rows.map((row) => row["name"]).filter((name) => name !== "n70"),
      );
      const idOfCode = new Map(stored.map((row) => [row["code"], row["id"]]));
      for (const [index, outcome] of outcomes.entries()) {
        if (index !== 70) assertAnswered(items, writtenRow(outcome), rows[index], idOfCode.get(code(index)));
      }
    },
  },
];

function many(items: Items, size: number, values: (index: number) => Readonly<Record<string, unknown>>): NewRow[] {
  return Array.from({ length: size }, (_, index) => items.row(values(index)));
}

function idAt(index: number): string {
  return `r${String(index).padStart(3, "0")}`;
}

/** The id may be missing, but must not be that of another row. */
function assertAnswered({ expected }: Items, row: Row, given: NewRow | undefined, id: unknown): void {
  assertValues(row, expected({ name: given?.["name"], _version: given?._version }));
  assert.equal(row["id"] ?? id, id);
}
