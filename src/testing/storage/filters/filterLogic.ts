import type { Filter } from "../../../ground/storage/filter.js";
import type { Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";
import { type FilterCase, filterScenario } from "./filterScenario.js";

async function prepare(stage: Stage): Promise<Items> {
  return stage.prepared("logic", async () => {
    const items = await stage.open({ indexes: [[["name"]], [["quantity"]]], unique: [{ fields: ["email"], fold: true }] });
    await items.addAll([
      { id: "a", name: "x", quantity: 1, email: "A@x.org" },
      { id: "b", name: "x", quantity: 2, email: "b@x.org" },
      { id: "c", name: "y", quantity: 1 },
      { id: "d", name: null, quantity: 2 },
      { id: "e" },
    ]);
    return items;
  });
}

const all = ["a", "b", "c", "d", "e"];
const nothing: Filter = { op: "or", args: [] };
const everything: Filter = { op: "and", args: [] };
const x: Filter = { op: "eq", path: ["name"], value: "x" };
const one: Filter = { op: "eq", path: ["quantity"], value: 1 };
const manyValues = Array.from({ length: 2_000 }, (_, index) => `value ${index}`);

/** Rows after a given one, ordered by quantity and, in the other direction, by id. */
const mixed: Filter = {
  op: "or",
  args: [
    { op: "gt", path: ["quantity"], value: 1 },
    { op: "and", args: [one, { op: "lt", path: ["id"], value: "c" }] },
  ],
};
const afterPair = (name: string, quantity: number, id: string): Filter => ({
  op: "or",
  args: [
    { op: "gt", path: ["name"], value: name },
    {
      op: "and",
      args: [
        { op: "eq", path: ["name"], value: name },
        { op: "gt", path: ["quantity"], value: quantity },
      ],
    },
    {
      op: "and",
      args: [
        { op: "eq", path: ["name"], value: name },
        { op: "eq", path: ["quantity"], value: quantity },
        { op: "gt", path: ["id"], value: id },
      ],
    },
  ],
});

const cases: readonly FilterCase[] = [
  { name: "after a pair of values in different directions", filter: mixed, ids: ["a", "b", "d"] },
  { name: "after three values, the last row of a tie", filter: afterPair("x", 1, "a"), ids: ["b", "c"] },
  { name: "after three values, the first row of a tie", filter: afterPair("x", 1, "A"), ids: ["a", "b", "c"] },
  { name: "not after three values includes nulls", filter: { op: "not", arg: afterPair("x", 2, "b") }, ids: ["a", "b", "d", "e"] },
  {
    name: "a bound beside what implies it",
    filter: { op: "and", args: [{ op: "gte", path: ["name"], value: "x" }, afterPair("x", 2, "b")] },
    ids: ["c"],
  },
  {
    name: "a bound beside what does not imply it",
    filter: { op: "and", args: [{ op: "gte", path: ["name"], value: "y" }, afterPair("x", 1, "a")] },
    ids: ["c"],
  },
  {
    name: "a bound of the other direction",
    filter: { op: "and", args: [{ op: "lte", path: ["name"], value: "x" }, afterPair("x", 1, "a")] },
    ids: ["b"],
  },
  { name: "an empty and means every row", filter: everything, ids: all },
  { name: "an empty or means no row", filter: nothing, ids: [] },
  { name: "not of an empty and means no row", filter: { op: "not", arg: everything }, ids: [] },
  { name: "not of an empty or means every row", filter: { op: "not", arg: nothing }, ids: all },
  { name: "an empty in means no row", filter: { op: "in", path: ["name"], values: [] }, ids: [] },
  { name: "not of an empty in means every row", filter: { op: "not", arg: { op: "in", path: ["name"], values: [] } }, ids: all },
  { name: "an empty or within an and means no row", filter: { op: "and", args: [x, nothing] }, ids: [] },
  { name: "an empty and within an or means every row", filter: { op: "or", args: [x, everything] }, ids: all },
  { name: "an and of one", filter: { op: "and", args: [x] }, ids: ["a", "b"] },
  { name: "an or of one", filter: { op: "or", args: [one] }, ids: ["a", "c"] },
  { name: "an and of two", filter: { op: "and", args: [x, one] }, ids: ["a"] },
  { name: "an or of two", filter: { op: "or", args: [x, one] }, ids: ["a", "b", "c"] },
  { name: "not of an and includes rows with nulls", filter: { op: "not", arg: { op: "and", args: [x, one] } }, ids: ["b", "c", "d", "e"] },
  { name: "not of an or includes rows with nulls", filter: { op: "not", arg: { op: "or", args: [x, one] } }, ids: ["d", "e"] },
  { name: "not of a not", filter: { op: "not", arg: { op: "not", arg: x } }, ids: ["a", "b"] },
  {
    name: "an or within an and within an or",
    filter: { op: "or", args: [{ op: "and", args: [one, { op: "or", args: [x, nothing] }] }, nothing] },
    ids: ["a"],
  },
  { name: "an and binds no looser than the or around it", filter: { op: "and", args: [{ op: "or", args: [x, one] }, one] }, ids: ["a", "c"] },
  { name: "eq on the id", filter: { op: "eq", path: ["id"], value: "b" }, ids: ["b"] },
  { name: "ne on the id", filter: { op: "ne", path: ["id"], value: "b" }, ids: ["a", "c", "d", "e"] },
  { name: "eq on the id within an and", filter: { op: "and", args: [{ op: "eq", path: ["id"], value: "b" }, one] }, ids: [] },
  { name: "eq on a folded unique key compares unfolded", filter: { op: "eq", path: ["email"], value: "a@x.org" }, ids: [] },
  { name: "eq on a unique key", filter: { op: "eq", path: ["email"], value: "A@x.org" }, ids: ["a"] },
  { name: "eq null on a unique key", filter: { op: "eq", path: ["email"], value: null }, ids: ["c", "d", "e"] },
  { name: "in with one value twice answers a row once", filter: { op: "in", path: ["name"], values: ["x", "x"] }, ids: ["a", "b"] },
  { name: "in with 2,001 values", filter: { op: "in", path: ["name"], values: [...manyValues, "y"] }, ids: ["c"] },
  {
    name: "a text value is never read as SQL or a pattern",
    filter: { op: "in", path: ["name"], values: ["x' or '1'='1", "%", "_", "?", "$1"] },
    ids: [],
  },
];

export const logicFilterScenarios: readonly Scenario[] = cases.map((filterCase) => filterScenario(filterCase, prepare));
