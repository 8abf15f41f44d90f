import assert from "node:assert/strict";
import type { Row } from "../../../ground/storage/collection.js";
import type { Filter } from "../../../ground/storage/filter.js";
import type { SortKey } from "../../../ground/storage/query.js";
import { idsOf, matchingIds } from "../assertions.js";
import type { Scenario } from "../scenario.js";
import type { Items } from "../stage.js";
import { named, prepareRelated, type RelatedItems, within } from "./relatedStage.js";

interface RelatedCase {
  readonly name: string;
  readonly filter: (items: RelatedItems) => Filter;
  readonly ids: readonly string[];
}

const everything: Filter = { op: "and", args: [] };
const nothing: Filter = { op: "or", args: [] };
const is = (name: string, value: string): Filter => ({ op: "eq", path: [name], value });
const not = (arg: Filter): Filter => ({ op: "not", arg });
const all = (...args: Filter[]): Filter => ({ op: "and", args });
const any = (...args: Filter[]): Filter => ({ op: "or", args });
const inOpen = ({ projects }: RelatedItems) => within("code", projects, named("open"));
const inRed = ({ projects, teams }: RelatedItems) => within("code", projects, within("code", teams, named("red")));

const cases: readonly RelatedCase[] = [
  { name: "a related row that matches", filter: inOpen, ids: ["a", "b", "c"] },
  {
    name: "any related row: keys that are null or name no row never match",
    filter: ({ projects }) => within("code", projects, everything),
    ids: ["a", "b", "c", "d", "g"],
  },
  { name: "no related row", filter: ({ projects }) => within("code", projects, nothing), ids: [] },
  { name: "not of it includes keys that are null or name no row", filter: (items) => not(inOpen(items)), ids: ["d", "e", "f", "g", "h"] },
  { name: "a negation of the related row does not", filter: ({ projects }) => within("code", projects, not(named("open"))), ids: ["d", "g"] },
  { name: "a null of the related row", filter: ({ projects }) => within("code", projects, { op: "eq", path: ["name"], value: null }), ids: ["g"] },
  {
    name: "an array of the related row",
    filter: ({ projects }) => within("code", projects, { op: "contains", path: ["tags"], value: "a" }),
    ids: ["a", "b", "d"],
  },
  { name: "the id of the related row", filter: ({ projects }) => within("code", projects, is("id", "p3")), ids: ["d"] },
  { name: "a related row of the related row", filter: inRed, ids: ["a", "b"] },
  {
    name: "not of a related row of the related row",
    filter: ({ projects, teams }) => within("code", projects, not(within("code", teams, named("red")))),
    ids: ["c", "d", "g"],
  },
  {
    name: "a related row with a number as its id",
    filter: ({ projects, numbered }) => within("code", projects, within("quantity", numbered, named("two"))),
    ids: ["c"],
  },
  {
    name: "two related rows of the related row",
    filter: ({ projects, teams, numbered }) =>
      within("code", projects, any(within("code", teams, named("blue")), within("quantity", numbered, named("one")))),
    ids: ["a", "b", "c"],
  },
  { name: "a related row of the same collection", filter: ({ tasks }) => within("email", tasks, named("x")), ids: ["b", "f"] },
  {
    name: "a related row of the same collection, twice",
    filter: ({ tasks }) => within("email", tasks, within("email", tasks, named("x"))),
    ids: ["c"],
  },
  {
    name: "a row that is related to itself",
    filter: ({ tasks }) => within("email", tasks, within("email", tasks, within("email", tasks, is("id", "d")))),
    ids: ["d"],
  },
  { name: "in an and", filter: (items) => all(named("x"), inOpen(items)), ids: ["a", "c"] },
  { name: "in an or", filter: (items) => any(is("id", "h"), inRed(items)), ids: ["a", "b", "h"] },
  { name: "twice on the same key", filter: (items) => all(inOpen(items), inRed(items)), ids: ["a", "b"] },
  { name: "on two keys", filter: (items) => all(inOpen(items), within("email", items.tasks, named("x"))), ids: ["b"] },
  { name: "beside an id", filter: (items) => all(is("id", "b"), inOpen(items)), ids: ["b"] },
  { name: "beside the id of a row that it leaves out", filter: (items) => all(is("id", "d"), inOpen(items)), ids: [] },
  {
    name: "beside ids",
    filter: (items) => all({ op: "in", path: ["id"], values: ["a", "d", "e", "h"] }, any(inOpen(items), not(inRed(items)))),
    ids: ["a", "d", "e", "h"],
  },
  { name: "beside its key", filter: (items) => all(is("code", "p1"), inRed(items)), ids: ["a", "b"] },
  { name: "beside another key", filter: (items) => all(is("code", "p2"), inRed(items)), ids: [] },
  { name: "beside a null as its key", filter: (items) => all({ op: "eq", path: ["code"], value: null }, not(inOpen(items))), ids: ["e", "h"] },
  {
    name: "beside a text that folds",
    filter: ({ projects }) => within("code", projects, { op: "like", path: ["name"], parts: ["OP", { any: "many" }], fold: true }),
    ids: ["a", "b", "c"],
  },
  { name: "a search of the related row", filter: ({ projects }) => within("code", projects, { op: "search", text: "don" }), ids: ["d"] },
];

const orders: readonly (readonly SortKey[])[] = [
  [{ path: ["id"], dir: "asc" }],
  [
    { path: ["name"], dir: "desc" },
    { path: ["id"], dir: "desc" },
  ],
  [
    { path: ["code"], dir: "asc" },
    { path: ["id"], dir: "asc" },
  ],
];

/** Every way to read rows by a filter finds the same ones. */
async function assertRows({ rows }: Items, filter: Filter, ids: readonly string[]): Promise<void> {
  assert.deepStrictEqual(await matchingIds(rows, filter), [...ids]);
  assert.equal(await rows.count(filter, {}), ids.length, "count");
  assert.equal(await rows.count(filter, { max: 2 }), Math.min(2, ids.length), "count with a maximum");
  for (const sort of orders) {
    const ordered = idsOf(await rows.find({ filter, sort, limit: 100 }, {}));
    assert.deepStrictEqual([...ordered].sort(), [...ids]);
    const page = await rows.findAndCount({ filter, sort, limit: 2 }, { filter, max: 100 }, {});
    assert.deepStrictEqual(idsOf(page.rows), ordered.slice(0, 2));
    if (page.total !== undefined) assert.equal(page.total, ids.length, "the total of a page");
    assert.deepStrictEqual(idsOf(await rows.find({ filter, sort, limit: 2, offset: 1 }, {})), ordered.slice(1, 3));
    const met: Row[] = [];
    for await (const batch of rows.iterate({ filter, sort, limit: 100 }, { batch: 2 })) met.push(...batch);
    assert.deepStrictEqual(idsOf(met), ordered);
  }
  const groups = await rows.findGroups({ key: "code", keys: ["p1", "p2", "p3", "p4", "gone"], filter, limit: 10 }, {});
  const keyless = ["e", "h"];
  assert.deepStrictEqual(
    idsOf(groups).sort(),
    ids.filter((id) => !keyless.includes(id)),
  );
}

export const relatedFilterScenarios: readonly Scenario[] = [true, false].flatMap((isIndexed) =>
  cases.map(
    ({ name, filter, ids }): Scenario => ({
      name: `${name}, ${isIndexed ? "with" : "without"} an index on the key`,
      needs: { ops: ["related", "contains", "not", "and", "or", "in", "like", "search"], sort: true, unicodeFold: true },
      async run(stage) {
        const items = await prepareRelated(stage, isIndexed);
        await assertRows(items.tasks, filter(items), ids);
      },
    }),
  ),
);
