import assert from "node:assert/strict";
import type { Filter, LikePart } from "../../../ground/storage/filter.js";
import type { Path } from "../../../ground/storage/values/scalar.js";
import { assertValues, matchingIds } from "../assertions.js";
import type { Needs, Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";
import { type FilterCase, filterScenario } from "./filterScenario.js";

const street = ["address", "street"] as const;
const owner = ["address", "house", "owner"] as const;
const needs: Needs = { ops: ["like"], unicodeFold: true };
const many: LikePart = { any: "many" };

const model = { folded: [street, owner, ["tags"]] } as const;

async function prepare(stage: Stage): Promise<Items> {
  return stage.prepared("folded", async () => {
    const items = await stage.open(model);
    await items.addAll([
      { id: "a", address: { street: "Rue de l'ÉCOLE", house: { owner: "Ada" } } },
      { id: "b", address: { street: "rue de l'e\u0301cole", house: { owner: "ADA" } }, tags: "Plain" },
      { id: "c", address: { street: "100%_Way\\*", house: "Ada" }, tags: ["plain"] },
      { id: "d", address: { street: 7, house: { owner: null } } },
      { id: "e", address: { street: "", house: [{ owner: "Ada" }] } },
      { id: "f", address: null },
      { id: "g" },
    ]);
    return items;
  });
}

function like(path: Path, ...parts: LikePart[]): Filter {
  return { op: "like", path, parts, fold: true };
}

const cases: readonly (readonly [name: string, filter: Filter, ids: readonly string[]])[] = [
  ["case and normalisation do not count", like(street, many, "L'École"), ["a", "b"]],
  ["the literal may be decomposed", like(street, "RUE", many, "E\u0301COLE"), ["a", "b"]],
  ["wildcards in a literal are themselves", like(street, "100%_way\\*"), ["c"]],
  ["a percent sign in a literal is no wildcard", like(street, "100%"), []],
  ["any text, also the empty one, and no number, null or nothing", like(street, many), ["a", "b", "c", "e"]],
  ["no parts mean the empty text", like(street), ["e"]],
  ["two levels down", like(owner, "aDa"), ["a", "b"]],
  ["a scalar or an array on the way is missing", like(owner, many), ["a", "b"]],
  ["not like includes what is missing", { op: "not", arg: like(owner, "ada") }, ["c", "d", "e", "f", "g"]],
  ["the text of a whole JSON column", like(["tags"], "PLAIN"), ["b"]],
];

export const foldedScenarios: readonly Scenario[] = [
  ...cases.map(([name, filter, ids]) => filterScenario({ name, filter, ids } satisfies FilterCase, prepare)),
  {
    name: "search does not use paths that are only folded",
    needs: { ops: ["search"], unicodeFold: true },
    async run(stage) {
      const { rows } = await prepare(stage);
      assert.deepStrictEqual(await matchingIds(rows, { op: "search", text: "ada" }), []);
    },
  },
  {
    name: "update, replacement, updateMany, insertMany and merge update the folded text",
    needs,
    async run(stage) {
      const items = await stage.open({ ...model, unique: [{ fields: ["code"] }] });
      const wayOf = (name: string) => ({ address: { street: name } });
      const found = (name: string) => matchingIds(items.rows, like(street, name));
      await items.rows.insertMany([items.row({ id: "a", code: "1", ...wayOf("ÉA") }), items.row({ id: "b", code: "2", ...wayOf("X") })], {});
      assert.deepStrictEqual(await found("éa"), ["a"]);
      await items.rows.update("a", { ...wayOf("ÉB"), ...stage.stamp() }, {});
      assert.deepStrictEqual([await found("éa"), await found("éb")], [[], ["a"]]);
      await items.rows.update("a", { name: "other", ...stage.stamp() }, {});
      assert.deepStrictEqual(await found("éb"), ["a"]);
      await items.rows.updateMany({ op: "eq", path: ["id"], value: "b" }, { ...wayOf("ÉC"), ...stage.stamp() }, {});
      assert.deepStrictEqual(await found("éc"), ["b"]);
      const onConflict = { merge: ["address"], key: ["code"] };
      await items.rows.insertMany([items.row({ id: "z", code: "1", ...wayOf("ÉD") })], { onConflict });
      assert.deepStrictEqual([await found("éb"), await found("éd")], [[], ["a"]]);
      await items.rows.update("a", { code: "1", ...stage.stamp() }, { replace: true });
      assert.deepStrictEqual(await found("éd"), []);
      assertValues(await items.rows.get("a", {}), { address: null });
    },
  },
  {
    name: "rows that existed before a path was folded are found",
    needs,
    async run(stage) {
      const before = await stage.open();
      await before.addAll([{ id: "a", address: { street: "ÉA" } }, { id: "b", address: null }, { id: "c" }]);
      await before.add({ id: "t", address: { street: "éa" } }, { tenant: "acme" });
      const after = stage.items({ ...before.model, ...model });
      await stage.storage.migrate?.([after.model]);
      assert.deepStrictEqual(await matchingIds(after.rows, like(street, "éA")), ["a"]);
      assert.equal(await after.rows.count(like(street, "éA"), { tenant: "acme" }), 1);
    },
  },
  {
    name: "paths whose names join to the same or a very long text are separate",
    needs,
    async run(stage) {
      const long = ["a", "b", "c"].map((letter) => letter.repeat(30)) as [string, string, string];
      const paths = [
        ["address", "a", "b"],
        ["address", "a.b"],
        ["address", ...long],
        ["address", ...long, "d"],
      ] as const;
      const items = await stage.open({ folded: paths });
      await items.addAll([
        { id: "0", address: { a: { b: "X" } } },
        { id: "1", address: { "a.b": "X" } },
        { id: "2", address: { [long[0]]: { [long[1]]: { [long[2]]: "X" } } } },
        { id: "3", address: { [long[0]]: { [long[1]]: { [long[2]]: { d: "X" } } } } },
      ]);
      for (const [index, path] of paths.entries()) assert.deepStrictEqual(await matchingIds(items.rows, like(path, "x")), [String(index)]);
    },
  },
];
