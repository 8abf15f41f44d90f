import assert from "node:assert/strict";
import type { Filter } from "../../../ground/storage/filter.js";
import type { SortKey } from "../../../ground/storage/query.js";
import type { RowValues } from "../../../ground/storage/values/rowValues.js";
import { idsOf } from "../assertions.js";
import { withId } from "../model.js";
import type { Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";
import { valueAt } from "../testPaths.js";

const names = ["code", "quantity", "id"] as const;
const values = Array.from({ length: 40 }, (_, index) => ({
  code: ["a", "b"][index % 2] ?? "",
  quantity: (index * 7) % 3,
  number: (index * 11) % 40,
}));
const ascending = values.toSorted((left, right) => {
  if (left.code !== right.code) return left.code < right.code ? -1 : 1;
  return left.quantity - right.quantity || left.number - right.number;
});

const all = (...args: readonly Filter[]): Filter => ({ op: "and", args });
const any = (...args: readonly Filter[]): Filter => ({ op: "or", args });

/** The conditions "after a row" by code, by quantity and by id, and "equal" by code and by quantity. */
interface Ways {
  readonly beyond: Readonly<Record<(typeof names)[number], Filter>>;
  readonly equal: Readonly<Record<(typeof names)[number], Filter>>;
}

/** The same condition as a flat `or`, and as nested ones. */
const shapes: Readonly<Record<string, (ways: Ways) => Filter>> = {
  "in one list": ({ beyond, equal }) => any(beyond.code, all(equal.code, beyond.quantity), all(equal.code, equal.quantity, beyond.id)),
  "within each other": ({ beyond, equal }) => any(beyond.code, all(equal.code, any(beyond.quantity, all(equal.quantity, beyond.id)))),
};

function waysAfter(row: RowValues, dir: SortKey["dir"]): Ways {
  const each = (op: "gt" | "lt" | "eq") => {
    const [code, quantity, id] = names.map((name): Filter => ({ op, path: [name], value: valueAt(row, [name]) }));
    assert.ok(code !== undefined && quantity !== undefined && id !== undefined);
    return { code, quantity, id };
  };
  return { beyond: each(dir === "asc" ? "gt" : "lt"), equal: each("eq") };
}

async function open(stage: Stage, idOf: (number: number) => unknown, numbered: boolean): Promise<Items> {
  const items = await stage.open({ ...(numbered ? withId("int", "store") : {}), indexes: [[["code"], ["quantity"]]] });
  const inserted = values.map(({ code, quantity, number }) => items.row({ id: idOf(number), code, quantity }));
  await items.rows.insertMany(inserted, { returning: "none" });
  return items;
}

function scenario(dir: SortKey["dir"], shape: string, afterRow: (ways: Ways) => Filter, numbered: boolean): Scenario {
  return {
    name: `pages by keyset over three fields, ${dir}, ${shape}${numbered ? ", of rows that the store numbers" : ""}`,
    needs: { sort: true, ops: ["and", "or", "eq", "gt", "gte", "lt", "lte"] },
    async run(stage) {
      const idOf = (number: number) => (numbered ? number + 1 : `r${String(number).padStart(2, "0")}`);
      const items = await open(stage, idOf, numbered);
      const sort = names.map((name): SortKey => ({ path: [name], dir }));
      const met: unknown[] = [];
      let page = await items.rows.find({ sort, limit: 3 }, {});
      while (page.length > 0 && met.length <= values.length) {
        met.push(...idsOf(page));
        const last = page.at(-1) ?? {};
        const bound: Filter = { op: dir === "asc" ? "gte" : "lte", path: ["code"], value: valueAt(last, ["code"]) };
        page = await items.rows.find({ filter: all(bound, afterRow(waysAfter(last, dir))), sort, limit: 3 }, {});
      }
      const ids = ascending.map(({ number }) => idOf(number));
      assert.deepStrictEqual(met, dir === "asc" ? ids : ids.toReversed());
    },
  };
}

export const threeFieldSortScenarios: readonly Scenario[] = Object.entries(shapes).flatMap(([shape, afterRow]) =>
  (["asc", "desc"] as const).flatMap((dir) => [scenario(dir, shape, afterRow, false), scenario(dir, shape, afterRow, true)]),
);
