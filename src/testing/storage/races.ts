import assert from "node:assert/strict";
import type { Row } from "../../ground/storage/collection.js";
import { Retryable } from "../../ground/storage/errors.js";
import type { Outcome } from "../../ground/storage/outcome.js";
import type { Storage } from "../../ground/storage/storage.js";
import { assertValues, idsOf, writtenRow } from "./assertions.js";
import { uniqueCode, withId } from "./model.js";
import type { Scenario } from "./scenario.js";
import type { Items, Stage } from "./stage.js";

const contenders = 50;

function together<T>(run: (index: number) => Promise<T>, count = contenders): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

function tally(outcomes: readonly Outcome<Row>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const name = outcome.ok ? "ok" : outcome.why;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Tries again while the store throws `Retryable`, as the core does. */
async function retrying<R>(stage: Stage, run: (tx: Storage) => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await stage.transaction(run);
    } catch (error) {
      if (!(error instanceof Retryable) || attempt === 200) throw error;
    }
  }
}

/** Moves one unit between two rows, locking them in the order of their ids. */
async function transfer(stage: Stage, items: Items, from: string, to: string): Promise<void> {
  await retrying(stage, async (tx) => {
    const rows = items.in(tx);
    const filter = { op: "in", path: ["id"], values: [from, to] } as const;
    const found = await rows.find({ filter, sort: [{ path: ["id"], dir: "asc" }], limit: 2, lock: "update" }, {});
    for (const row of found) {
      const quantity = Number(row["quantity"]) + (row["id"] === from ? -1 : 1);
      const outcome = await rows.update(String(row["id"]), { quantity, ...stage.stamp() }, { ifVersion: row._version });
      if (!outcome.ok) throw new Retryable("another transfer was faster");
    }
  });
}

export const raceScenarios: readonly Scenario[] = [
  {
    name: "of 50 concurrent updates of one version exactly one succeeds",
    needs: { compareAndSet: true },
    async run(stage) {
      const items = await stage.open();
      const { _version: ifVersion } = await items.add({ id: "a" });
      const outcomes = await together((quantity) => items.rows.update("a", { quantity, ...stage.stamp() }, { ifVersion }));
      assert.deepStrictEqual(tally(outcomes), { ok: 1, stale: contenders - 1 });
      const winner = outcomes.findIndex((outcome) => outcome.ok);
      assertValues(await items.rows.get("a", {}), { quantity: winner });
    },
  },
  {
    name: "of 50 concurrent inserts of one e-mail exactly one succeeds",
    async run(stage) {
      const items = await stage.open({ unique: [{ fields: ["email"], fold: true }] });
      const email = (index: number) => (index % 2 === 0 ? "ada@x.org" : "ADA@x.org");
      const outcomes = await together((index) => items.rows.insert(items.row({ id: `r${index}`, email: email(index) }), {}));
      assert.deepStrictEqual(tally(outcomes), { ok: 1, conflict: contenders - 1 });
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "of 50 concurrent inserts of one id exactly one succeeds",
    async run(stage) {
      const items = await stage.open();
      const outcomes = await together((quantity) => items.rows.insert(items.row({ id: "a", quantity }), {}));
      assert.deepStrictEqual(tally(outcomes), { ok: 1, conflict: contenders - 1 });
    },
  },
  {
    name: "50 concurrent inserts of one operation create one row, and all return it",
    async run(stage) {
      const items = await stage.open(withId("int", "store"));
      const outcomes = await together((quantity) => items.rows.insert(items.row({ quantity }), { operationId: "op" }));
      assert.equal(new Set(idsOf(outcomes.map(writtenRow))).size, 1);
      assert.equal(outcomes.filter((outcome) => outcome.ok && outcome.created !== false).length, 1);
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "concurrent batches with a common key insert it once",
    async run(stage) {
      const items = await stage.open(uniqueCode);
      const batches = await together(
        (index) => items.rows.insertMany([items.row({ id: `a${index}`, code: `own${index}` }), items.row({ id: `b${index}`, code: "one" })], {}),
        10,
      );
      assert.deepStrictEqual(tally(batches.flat()), { ok: 11, conflict: 9 });
    },
  },
  {
    name: "of 50 concurrent updates to one unique key exactly one succeeds",
    async run(stage) {
      const items = await stage.open(uniqueCode);
      await items.rows.insertMany(
        Array.from({ length: contenders }, (_, index) => items.row({ id: `r${index}` })),
        {},
      );
      const outcomes = await together((index) => items.rows.update(`r${index}`, { code: "one", ...stage.stamp() }, {}));
      assert.deepStrictEqual(tally(outcomes), { ok: 1, conflict: contenders - 1 });
    },
  },
  {
    name: "of 50 concurrent removes exactly one succeeds",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a" });
      assert.deepStrictEqual(tally(await together(() => items.rows.remove("a", {}))), { ok: 1, missing: contenders - 1 });
    },
  },
  {
    name: "an update and a remove of one version do not both succeed",
    needs: { compareAndSet: true },
    async run(stage) {
      const items = await stage.open();
      for (let round = 0; round < 20; round++) {
        const id = `r${round}`;
        const { _version: ifVersion } = await items.add({ id });
        const outcomes = await Promise.all([
          items.rows.update(id, { quantity: 1, ...stage.stamp() }, { ifVersion }),
          items.rows.remove(id, { ifVersion }),
        ]);
        assert.equal(outcomes.filter((outcome) => outcome.ok).length, 1);
      }
    },
  },
  {
    name: "a counter that 20 writers raise by compare-and-set loses nothing",
    needs: { compareAndSet: true },
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a", quantity: 0 });
      await together(async () => {
        for (;;) {
          const row = await items.rows.get("a", {});
          const outcome = await items.rows.update("a", { quantity: Number(row?.["quantity"]) + 1, ...stage.stamp() }, { ifVersion: row?._version });
          if (outcome.ok) return;
        }
      }, 20);
      assertValues(await items.rows.get("a", {}), { quantity: 20 });
    },
  },
  {
    name: "40 concurrent transfers between two rows keep their sum",
    needs: { transactions: true, compareAndSet: true },
    async run(stage) {
      const items = await stage.open();
      await items.addAll([
        { id: "a", quantity: 100 },
        { id: "b", quantity: 100 },
      ]);
      await together((index) => (index % 4 === 0 ? transfer(stage, items, "b", "a") : transfer(stage, items, "a", "b")), 40);
      assertValues(await items.rows.get("a", {}), { quantity: 80 });
      assertValues(await items.rows.get("b", {}), { quantity: 120 });
    },
  },
  {
    name: "single writes and transactions at the same time lose nothing",
    needs: { transactions: true },
    async run(stage) {
      const items = await stage.open();
      await together(async (index) => {
        if (index % 2 === 0) return void (await items.add({ id: `single${index}` }));
        await retrying(stage, async (tx) => {
          await items.in(tx).insert(items.row({ id: `a${index}` }), {});
          await items.in(tx).insert(items.row({ id: `b${index}` }), {});
        });
      }, 30);
      assert.equal(await items.rows.count(undefined, {}), 45);
    },
  },
];
