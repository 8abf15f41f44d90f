import assert from "node:assert/strict";
import type { Call } from "../../ground/storage/collection.js";
import { assertMissing, assertSameRow, idsOf, writtenRow } from "./assertions.js";
import type { Scenario } from "./scenario.js";
import type { Items, Stage } from "./stage.js";

const acme: Call = { tenant: "acme" };
const others: readonly (readonly [label: string, call: Call])[] = [
  ["another tenant", { tenant: "globex" }],
  ["a tenant that differs by case", { tenant: "Acme" }],
  ["no tenant", {}],
];

async function openWithRow(stage: Stage): Promise<Items> {
  const items = await stage.open();
  await items.add({ id: "a", name: "secret" }, acme);
  return items;
}

const isolated = others.map(
  ([label, call]): Scenario => ({
    name: `${label} sees, counts, changes and removes no row of acme`,
    async run(stage) {
      const items = await openWithRow(stage);
      const before = await items.rows.get("a", acme);
      assert.ok(before !== undefined);
      assert.equal(await items.rows.get("a", call), undefined);
      assert.deepStrictEqual(await items.rows.getMany(["a"], call), []);
      assert.deepStrictEqual(await items.rows.find({ sort: [], limit: 10 }, call), []);
      assert.equal(await items.rows.count(undefined, call), 0);
      assertMissing(await items.rows.update("a", { name: "changed", ...stage.stamp() }, call));
      assertMissing(await items.rows.update("a", stage.stamp(), { ...call, ifVersion: before._version, replace: true }));
      assertMissing(await items.rows.remove("a", call));
      assert.equal(await items.rows.updateMany(undefined, { name: "changed", ...stage.stamp() }, call), 0);
      assert.equal(await items.rows.removeMany(undefined, call), 0);
      for await (const batch of items.rows.iterate({ sort: [{ path: ["id"], dir: "asc" }], limit: 10 }, call)) assert.deepStrictEqual(batch, []);
      assertSameRow(await items.rows.get("a", acme), before);
    },
  }),
);

export const tenantScenarios: readonly Scenario[] = [
  ...isolated,
  {
    name: "a tenant sees no row without a tenant",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a" });
      assert.equal(await items.rows.get("a", acme), undefined);
      assert.equal(await items.rows.count(undefined, acme), 0);
    },
  },
  {
    name: "two tenants can use the same id for their own rows",
    async run(stage) {
      const items = await openWithRow(stage);
      await items.add({ id: "a", name: "other" }, { tenant: "globex" });
      writtenRow(await items.rows.update("a", { name: "changed", ...stage.stamp() }, { tenant: "globex" }));
      assert.equal((await items.rows.get("a", acme))?.["name"], "secret");
      writtenRow(await items.rows.remove("a", acme));
      assert.equal((await items.rows.get("a", { tenant: "globex" }))?.["name"], "changed");
    },
  },
  {
    name: "an or filter cannot bypass the tenant",
    async run(stage) {
      const items = await openWithRow(stage);
      await items.add({ id: "b" }, { tenant: "globex" });
      const filter = {
        op: "or",
        args: [
          { op: "has", path: ["id"] },
          { op: "and", args: [] },
        ],
      } as const;
      assert.deepStrictEqual(idsOf(await items.rows.find({ filter, sort: [], limit: 10 }, { tenant: "globex" })), ["b"]);
      assert.equal(await items.rows.count({ op: "not", arg: { op: "or", args: [] } }, { tenant: "globex" }), 1);
    },
  },
  {
    name: "rows of insertMany belong to the tenant of the call",
    async run(stage) {
      const items = await stage.open();
      await items.rows.insertMany([items.row({ id: "a" }), items.row({ id: "b" })], acme);
      assert.equal(await items.rows.count(undefined, acme), 2);
      assert.equal(await items.rows.count(undefined, {}), 0);
    },
  },
];
