import type { Filter } from "../../../ground/storage/filter.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";
import { emptyRows, foreignRows, type Rank, type TestPath, testPaths, type Value, valuedRows } from "../testPaths.js";
import { type FilterCase, filterScenario } from "./filterScenario.js";

const rows = [...valuedRows, ...emptyRows, ...foreignRows].map((row, index) => ({ ...row, id: `r${String(index).padStart(2, "0")}` }));

const nested = testPaths.map(({ path }) => path).filter((path) => path.length > 1);
const indexes: CollectionModel["indexes"] = testPaths.map(({ path }) => [path]);

async function prepare(stage: Stage): Promise<Items> {
  return stage.prepared("paths", async () => {
    const items = await stage.open({ folded: nested, indexes });
    for (const { id, values } of rows) await items.add({ id, ...values });
    return items;
  });
}

/** A filter, and which rows match it by their rank. */
type Cell = readonly [name: string, filter: Filter, means: (rank: Rank) => boolean];

const none = () => false;
const all = () => true;
const isThere = (rank: Rank) => rank !== "nothing";
const isNothing = (rank: Rank) => rank === "nothing";
const above = (bound: number) => (rank: Rank) => typeof rank === "number" && rank > bound;
const below = (bound: number) => (rank: Rank) => typeof rank === "number" && rank < bound;
const at =
  (...positions: readonly number[]) =>
  (rank: Rank) =>
    typeof rank === "number" && positions.includes(rank);
const not = (means: Cell[2]) => (rank: Rank) => !means(rank);
const or = (left: Cell[2], right: Cell[2]) => (rank: Rank) => left(rank) || right(rank);

/** Comparisons with the middle value, and their negations. */
function pivotCells({ path, ascending }: TestPath): Cell[] {
  const pivot = ascending.length >> 1;
  const last = ascending.length - 1;
  const value = ascending[pivot] ?? null;
  const highest = ascending[last] ?? null;
  const lowest = ascending[0] ?? null;
  const eq: Filter = { op: "eq", path, value };
  const gte: Filter = { op: "gte", path, value: lowest };
  const lt: Filter = { op: "lt", path, value };
  return [
    ["ne includes nulls", { op: "ne", path, value }, not(at(pivot))],
    ["not eq includes nulls", { op: "not", arg: eq }, not(at(pivot))],
    ["not ne", { op: "not", arg: { op: "ne", path, value } }, at(pivot)],
    ["gt leaves nulls out", { op: "gt", path, value }, above(pivot)],
    ["gt the highest", { op: "gt", path, value: highest }, none],
    ["lt leaves nulls out", lt, below(pivot)],
    ["lt the lowest", { op: "lt", path, value: lowest }, none],
    ["not gt includes nulls", { op: "not", arg: { op: "gt", path, value } }, not(above(pivot))],
    ["not lt includes nulls", { op: "not", arg: lt }, not(below(pivot))],
    ["gte and lt", { op: "and", args: [gte, lt] }, below(pivot)],
    ["eq or gt", { op: "or", args: [eq, { op: "gt", path, value }] }, above(pivot - 1)],
    ["in", { op: "in", path, values: [value, highest] }, at(pivot, last)],
    ["in with a null", { op: "in", path, values: [null, value] }, or(at(pivot), isNothing)],
    ["in with all values", { op: "in", path, values: ascending }, above(-1)],
    ["not in includes nulls", { op: "not", arg: { op: "in", path, values: [value] } }, not(at(pivot))],
    ["not in with a null leaves nulls out", { op: "not", arg: { op: "in", path, values: [value, null] } }, not(or(at(pivot), isNothing))],
    ["contains never looks into a scalar", { op: "contains", path, value: ascending[pivot] ?? "" }, none],
  ];
}

/** Each operator with null. */
function nullCells({ path }: TestPath): Cell[] {
  const ordered = (["gt", "gte", "lt", "lte"] as const).map((op): Cell => [`${op} null`, { op, path, value: null }, none]);
  return [
    ...ordered,
    ["eq null", { op: "eq", path, value: null }, isNothing],
    ["ne null", { op: "ne", path, value: null }, isThere],
    ["not eq null", { op: "not", arg: { op: "eq", path, value: null } }, isThere],
    ["in of a null", { op: "in", path, values: [null] }, isNothing],
    ["in of nothing", { op: "in", path, values: [] }, none],
    ["has", { op: "has", path }, isThere],
    ["not has", { op: "not", arg: { op: "has", path } }, isNothing],
    ["contains null", { op: "contains", path, value: null }, none],
  ];
}

/** Each value is distinct from its neighbours. */
function valueCells({ path, ascending }: TestPath): Cell[] {
  return ascending.flatMap((value, position): Cell[] => [
    [`eq ${label(value)}`, { op: "eq", path, value }, at(position)],
    [`gte ${label(value)}`, { op: "gte", path, value }, above(position - 1)],
    [`lte ${label(value)}`, { op: "lte", path, value }, below(position + 1)],
  ]);
}

/** Values of another type match nothing, unless they are the same number in another type. */
function typeCells({ path, foreign, twin }: TestPath): Cell[] {
  const cells = foreign.flatMap((value): Cell[] => [
    [`eq a ${typeOf(value)} (${label(value)})`, { op: "eq", path, value }, none],
    [`ne a ${typeOf(value)} (${label(value)})`, { op: "ne", path, value }, all],
  ]);
  // Inside JSON, other rows have values of those types.
  const ordered = path.length > 1 ? [] : foreign;
  cells.push(
    ...ordered.flatMap((value): Cell[] => [
      [`gte a ${typeOf(value)} (${label(value)})`, { op: "gte", path, value }, none],
      [`lte a ${typeOf(value)} (${label(value)})`, { op: "lte", path, value }, none],
    ]),
    ["in of other types", { op: "in", path, values: foreign }, none],
  );
  if (twin === undefined) return cells;
  const [value, position] = twin;
  return [
    ...cells,
    [`eq the same number as a ${typeof value}`, { op: "eq", path, value }, at(position)],
    [`ne the same number as a ${typeof value}`, { op: "ne", path, value }, not(at(position))],
    [`lt the same number as a ${typeof value}`, { op: "lt", path, value }, below(position)],
    [`in the same number as a ${typeof value}`, { op: "in", path, values: [value] }, at(position)],
  ];
}

function betweenCells({ path, between }: TestPath): Cell[] {
  if (between === undefined) return [];
  const [value, count] = between;
  return [
    ["eq a value that no row has", { op: "eq", path, value }, none],
    ["ne a value that no row has", { op: "ne", path, value }, all],
    ["gt a value that no row has", { op: "gt", path, value }, above(count - 1)],
    ["lte a value that no row has", { op: "lte", path, value }, below(count)],
    ["in of a value that no row has", { op: "in", path, values: [value] }, none],
  ];
}

function label(value: Value): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
}

function typeOf(value: Value): string {
  return value instanceof Date ? "date" : typeof value;
}

const cellsOf = (testPath: TestPath): Cell[] => [
  ...valueCells(testPath),
  ...pivotCells(testPath),
  ...nullCells(testPath),
  ...typeCells(testPath),
  ...betweenCells(testPath),
];

export const pathFilterScenarios: readonly Scenario[] = testPaths.flatMap((testPath) =>
  cellsOf(testPath).map(([name, filter, means]) => {
    const ids = rows.filter((row) => means(row.rank(testPath))).map(({ id }) => id);
    return filterScenario({ name: `${testPath.path.join(".")}: ${name}`, filter, ids } satisfies FilterCase, prepare);
  }),
);
