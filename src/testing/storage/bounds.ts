import assert from "node:assert/strict";
import type { Call, Row } from "../../storage/collection.js";
import { QueryTimeout } from "../../storage/errors.js";
import type { Filter, LikePart } from "../../storage/filter.js";
import type { Scenario } from "./scenario.js";
import type { Items, Stage } from "./stage.js";

const many: LikePart = { any: "many" };
const text = "b".repeat(1_000);
const count = 3_000;

/** A pattern that matches no row, but nearly matches at each character of every row. */
const filter: Filter = { op: "not", arg: { op: "like", path: ["name"], parts: [many, "bb", many, "b".repeat(100), many] } };

async function prepareLong(stage: Stage): Promise<Items> {
  return stage.prepared("long reads", async () => {
    const items = await stage.open();
    const values = Array.from({ length: count }, (_, index) => items.row({ id: `r${index}`, name: text, quantity: index }));
    for (const outcome of await items.rows.insertMany(values, {})) assert.ok(outcome.ok);
    return items;
  });
}

/** All methods whose reads can take long. They find no row. */
function readsOf({ rows }: Items): readonly ((call: Call) => Promise<unknown>)[] {
  const sort = [{ path: ["quantity"], dir: "desc" }] as const;
  return [
    (call) => rows.find({ filter, sort, limit: 10 }, call),
    async (call) => Array.from({ length: await rows.count(filter, call) }),
    (call) => rows.findGroups({ key: "name", keys: [text], filter, limit: 1 }, call),
    async (call) => {
      const found: Row[] = [];
      for await (const batch of rows.iterate({ filter, sort, limit: count }, call)) found.push(...batch);
      return found;
    },
  ];
}

/** A read that ends before its bound must have the right result. */
async function endsOr(read: Promise<unknown>, isReason: (error: unknown) => boolean): Promise<void> {
  try {
    assert.deepStrictEqual(await read, []);
  } catch (error) {
    if (error instanceof assert.AssertionError || !isReason(error)) throw error;
  }
}

export const boundScenarios: readonly Scenario[] = [
  {
    name: "a long read ends with its signal, and the store goes on",
    needs: { ops: ["not", "like"], sort: true },
    async run(stage) {
      const items = await prepareLong(stage);
      const reason = new Error("The client went away.");
      for (const read of readsOf(items)) {
        const controller = new AbortController();
        const reading = read({ signal: controller.signal });
        setImmediate(() => controller.abort(reason));
        await endsOr(reading, (error) => error === reason);
      }
      assert.equal((await items.rows.get("r1", {}))?.["quantity"], 1);
    },
  },
  {
    name: "a long read ends with its budget, and the store goes on",
    needs: { ops: ["not", "like"], sort: true },
    async run(stage) {
      const items = await prepareLong(stage);
      for (const read of readsOf(items)) await endsOr(read({ budgetMs: 5 }), (error) => error instanceof QueryTimeout);
      assert.equal((await items.rows.get("r1", {}))?.["quantity"], 1);
    },
  },
  {
    name: "a write is not bound by the budget of reads",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a", quantity: 1 }, { budgetMs: 1 });
      assert.equal((await items.rows.get("a", {}))?.["quantity"], 1);
    },
  },
];
