import assert from "node:assert/strict";
import type { Call, Row } from "../../ground/storage/collection.js";
import { QueryTimeout } from "../../ground/storage/errors.js";
import type { Filter, FilterOp, LikePart } from "../../ground/storage/filter.js";
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
    const values = Array.from({ length: count }, (_, index) =>
      items.row({ id: `r${index}`, name: text, code: `r${count - 1 - index}`, quantity: index }),
    );
    for (const outcome of await items.rows.insertMany(values, {})) assert.ok(outcome.ok);
    return items;
  });
}

/** The same pattern for the related row of every row. */
const overRelated = ({ model }: Items): Filter => ({ op: "related", path: ["code"], collection: model, filter });

/** All methods whose reads can take long. They find no row. */
function readsOf({ rows }: Items, filter: Filter): readonly ((call: Call) => Promise<unknown>)[] {
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

interface LongRead {
  readonly name: string;
  readonly ops: readonly FilterOp[];
  readonly filter: (items: Items) => Filter;
}

const longReads: readonly LongRead[] = [
  { name: "a long read", ops: ["not", "like"], filter: () => filter },
  { name: "a long read of related rows", ops: ["not", "like", "related"], filter: overRelated },
];

const longScenarios = longReads.flatMap(({ name, ops, filter: filterOf }): readonly Scenario[] => [
  {
    name: `${name} ends with its signal, and the store goes on`,
    needs: { ops, sort: true },
    async run(stage) {
      const items = await prepareLong(stage);
      const reason = new Error("The client went away.");
      for (const read of readsOf(items, filterOf(items))) {
        const controller = new AbortController();
        const reading = read({ signal: controller.signal });
        setImmediate(() => controller.abort(reason));
        await endsOr(reading, (error) => error === reason);
      }
      assert.equal((await items.rows.get("r1", {}))?.["quantity"], 1);
    },
  },
  {
    name: `${name} ends with its budget, and the store goes on`,
    needs: { ops, sort: true },
    async run(stage) {
      const items = await prepareLong(stage);
      for (const read of readsOf(items, filterOf(items))) await endsOr(read({ budgetMs: 5 }), (error) => error instanceof QueryTimeout);
      assert.equal((await items.rows.get("r1", {}))?.["quantity"], 1);
    },
  },
]);

export const boundScenarios: readonly Scenario[] = [
  ...longScenarios,
  {
    name: "a write is not bound by the budget of reads",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a", quantity: 1 }, { budgetMs: 1 });
      assert.equal((await items.rows.get("a", {}))?.["quantity"], 1);
    },
  },
];
