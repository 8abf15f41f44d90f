import assert from "node:assert/strict";
import type { Filter } from "../../../ground/storage/filter.js";
import type { MemberDefault } from "../../../ground/storage/model.js";
import type { Path } from "../../../ground/storage/values/scalar.js";
import { idsOf, matchingIds } from "../assertions.js";
import type { Needs, Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";
import { after, sorted } from "./keyset.js";

const floor: Path = ["address", "floor"];
const unit: Path = ["address", "size", "unit"];

const memberDefaults: readonly MemberDefault[] = [
  { path: floor, cases: [{ missing: floor, value: 3 }] },
  {
    path: unit,
    cases: [
      { missing: ["address", "size"], value: "m" },
      { missing: unit, value: "k" },
    ],
  },
];

const needs: Needs = { sort: true, ops: ["and", "or", "not", "eq", "ne", "gt", "gte", "lt", "lte", "in", "has"] };

async function prepare(stage: Stage): Promise<Items> {
  return stage.prepared("members with defaults", async () => {
    const items = await stage.open({ memberDefaults, indexes: [[floor]] });
    await items.addAll([
      { id: "a", address: {} },
      { id: "b", address: { floor: 5, size: { unit: "z" } } },
      { id: "c", address: null },
      { id: "d", address: { floor: 1, size: {} } },
      { id: "e", address: { floor: null, size: null } },
      { id: "f", address: { floor: 3, size: { unit: null } } },
      { id: "g" },
      { id: "h", address: "text" },
    ]);
    return items;
  });
}

const filters: readonly (readonly [name: string, filter: Filter, ids: string])[] = [
  ["equality", { op: "eq", path: floor, value: 3 }, "af"],
  ["inequality", { op: "ne", path: floor, value: 3 }, "bcdegh"],
  ["a lower bound", { op: "gte", path: floor, value: 3 }, "abf"],
  ["an upper bound", { op: "lt", path: floor, value: 3 }, "d"],
  ["a list", { op: "in", path: floor, values: [1, 3] }, "adf"],
  ["a value", { op: "has", path: floor }, "abdf"],
  ["null", { op: "eq", path: floor, value: null }, "cegh"],
  ["a part of the default of an object", { op: "eq", path: unit, value: "m" }, "a"],
  ["a default inside of an object that is there", { op: "eq", path: unit, value: "k" }, "d"],
];

/** By the member, and then by the id. */
const orders: readonly (readonly [path: Path, ids: string])[] = [
  [floor, "ceghdafb"],
  [unit, "cefghdab"],
];

export const memberDefaultScenarios: readonly Scenario[] = [
  ...filters.map(
    ([name, filter, ids]): Scenario => ({
      name: `rows that lack a member are found by its default: ${name}`,
      needs,
      async run(stage) {
        const { rows } = await prepare(stage);
        assert.deepStrictEqual(await matchingIds(rows, filter), [...ids]);
      },
    }),
  ),
  ...orders.flatMap(([path, ascending]) =>
    (["asc", "desc"] as const).map((dir): Scenario => {
      const ids = dir === "asc" ? [...ascending] : [...ascending].toReversed();
      return {
        name: `rows that lack a member are sorted by its default, ${path.join(".")} ${dir}`,
        needs,
        async run(stage) {
          const { rows } = await prepare(stage);
          const found = await rows.find({ sort: sorted(path, dir), limit: 10 }, {});
          assert.deepStrictEqual(idsOf(found), ids);
          const value = path === floor ? 3 : "k";
          const beyond = await rows.find({ filter: after(path, dir, value, path === floor ? "a" : "d"), sort: sorted(path, dir), limit: 10 }, {});
          assert.deepStrictEqual(idsOf(beyond), ids.slice(ids.indexOf(path === floor ? "a" : "d") + 1));
        },
      };
    }),
  ),
];
