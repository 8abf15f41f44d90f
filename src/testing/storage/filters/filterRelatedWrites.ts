import assert from "node:assert/strict";
import type { Call } from "../../../ground/storage/collection.js";
import type { Storage } from "../../../ground/storage/storage.js";
import { idsOf, matchingIds, writtenRow } from "../assertions.js";
import type { Needs, Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";
import { named, openRelated, within } from "./relatedStage.js";

const needs: Needs = { ops: ["related"] };

interface Opened {
  readonly tasks: Items;
  readonly projects: Items;
}

async function openRows(stage: Stage): Promise<Opened> {
  const { tasks, projects } = await openRelated(stage, [[["code"]]]);
  await projects.addAll([
    { id: "p1", name: "open" },
    { id: "p2", name: "done" },
  ]);
  await tasks.addAll([
    { id: "a", code: "p1" },
    { id: "b", code: "p2" },
    { id: "c", code: "p1" },
  ]);
  return { tasks, projects };
}

const inOpen = ({ projects }: Opened) => within("code", projects, named("open"));
const openTasks = (items: Opened, storage: Storage) => matchingIds(items.tasks.in(storage), inOpen(items));

export const relatedWriteScenarios: readonly Scenario[] = [
  {
    name: "a write to the related row changes which rows match, and their count",
    needs,
    async run(stage) {
      const items = await openRows(stage);
      const { tasks, projects } = items;
      const filter = inOpen(items);
      for (const [name, ids] of [
        ["done", []],
        ["open", ["a", "c"]],
        ["done", []],
      ] as const) {
        writtenRow(await projects.rows.update("p1", { name, ...stage.stamp() }, {}));
        assert.deepStrictEqual(await matchingIds(tasks.rows, filter), ids);
        assert.equal(await tasks.rows.count(filter, {}), ids.length);
        assert.deepStrictEqual(await matchingIds(tasks.rows, filter), ids);
      }
      writtenRow(await projects.rows.remove("p1", {}));
      assert.equal(await tasks.rows.count({ op: "not", arg: filter }, {}), 3);
    },
  },
  {
    name: "a transaction sees its own changes to the related rows, and others see them after the commit",
    needs: { ...needs, transactions: true },
    async run(stage) {
      const items = await openRows(stage);
      await stage.transaction(async (tx) => {
        writtenRow(await items.projects.in(tx).update("p2", { name: "open", ...stage.stamp() }, {}));
        writtenRow(await items.projects.in(tx).remove("p1", {}));
        writtenRow(await items.projects.in(tx).insert(items.projects.row({ id: "p3", name: "open" }), {}));
        writtenRow(await items.tasks.in(tx).insert(items.tasks.row({ id: "d", code: "p3" }), {}));
        assert.deepStrictEqual(await openTasks(items, tx), ["b", "d"]);
        assert.equal(await items.tasks.in(tx).count(inOpen(items), {}), 2);
      });
      assert.deepStrictEqual(await openTasks(items, stage.storage), ["b", "d"]);
    },
  },
  {
    name: "changes to the related rows that are rolled back change nothing",
    needs: { ...needs, transactions: true },
    async run(stage) {
      const items = await openRows(stage);
      const ending = new Error("The transaction is rolled back.");
      const running = stage.transaction(async (tx) => {
        writtenRow(await items.projects.in(tx).remove("p1", {}));
        assert.deepStrictEqual(await openTasks(items, tx), []);
        throw ending;
      });
      await assert.rejects(running, ending);
      assert.deepStrictEqual(await openTasks(items, stage.storage), ["a", "c"]);
    },
  },
  {
    name: "updateMany and removeMany write the rows whose related row matches",
    needs,
    async run(stage) {
      const items = await openRows(stage);
      const { rows } = items.tasks;
      assert.equal(await rows.updateMany(inOpen(items), { quantity: 7, ...stage.stamp() }, {}), 2);
      assert.deepStrictEqual(await matchingIds(rows, { op: "eq", path: ["quantity"], value: 7 }), ["a", "c"]);
      assert.equal(await rows.removeMany(inOpen(items), {}), 2);
      assert.deepStrictEqual(idsOf(await rows.find({ sort: [], limit: 10 }, {})), ["b"]);
    },
  },
  {
    name: "related rows are those of the tenant of the call",
    needs,
    async run(stage) {
      const items = await openRows(stage);
      const acme: Call = { tenant: "acme" };
      await items.tasks.add({ id: "x", code: "p1" }, acme);
      const found = async (call: Call) => idsOf(await items.tasks.rows.find({ filter: inOpen(items), sort: [], limit: 10 }, call)).sort();
      assert.deepStrictEqual(await found(acme), []);
      await items.projects.add({ id: "p1", name: "open" }, acme);
      assert.deepStrictEqual(await found(acme), ["x"]);
      assert.equal(await items.tasks.rows.count(inOpen(items), acme), 1);
      writtenRow(await items.projects.rows.remove("p1", {}));
      assert.deepStrictEqual(await found(acme), ["x"]);
      assert.deepStrictEqual(await found({}), []);
      assert.deepStrictEqual(await found({ tenant: "globex" }), []);
    },
  },
  {
    name: "related rows that are shared are those without a tenant, and so are the rows related to them",
    needs,
    async run(stage) {
      const { tasks, projects, teams } = await openRelated(stage);
      const acme: Call = { tenant: "acme" };
      await teams.add({ id: "t1", name: "red" });
      await projects.add({ id: "p1", name: "open", code: "t1" });
      await projects.add({ id: "p2", name: "open", code: "t1" }, acme);
      await tasks.add({ id: "a", code: "p1" }, acme);
      await tasks.add({ id: "b", code: "p2" }, acme);
      await tasks.add({ id: "c", code: "p1" });
      const shared = { ...within("code", projects, within("code", teams, named("red"))), shared: true };
      assert.deepStrictEqual(idsOf(await tasks.rows.find({ filter: shared, sort: [], limit: 10 }, acme)), ["a"]);
      assert.equal(await tasks.rows.count(shared, acme), 1);
      assert.deepStrictEqual(idsOf(await tasks.rows.find({ filter: shared, sort: [], limit: 10 }, {})), ["c"]);
    },
  },
  {
    name: "a key of another type than the ids is an error",
    needs,
    async run(stage) {
      const { tasks, projects } = await openRows(stage);
      for (const key of ["quantity", "address", "active", "missing"]) {
        await assert.rejects(
          tasks.rows.find({ filter: within(key, projects, named("open")), sort: [], limit: 10 }, {}),
          /cannot be related to the ids of/,
        );
      }
    },
  },
];
