import type { Filter } from "../../storage/filter.js";
import type { Scalar } from "../../storage/scalar.js";
import { type FilterCase, filterScenario } from "./filterScenario.js";
import type { Scenario } from "./scenario.js";
import type { Items, Stage } from "./stage.js";

/** Values of a column, lowest first; row `r0` holds the first, row `r1` the second and so on. */
const ascending: Readonly<Record<string, readonly Exclude<Scalar, null>[]>> = {
  name: ["", "Z", "a", "aa", "e\u0301", "\u00e9", "\ufb00", "\u{1f600}"],
  quantity: [-10, -9, 0, 9, 10, Number.MAX_SAFE_INTEGER],
  price: [-1e308, -2.5, 0, 5e-324, 0.1, 10, 1e308],
  serial: [-(2n ** 63n), -1n, 0n, 9_007_199_254_740_992n, 9_007_199_254_740_993n, 2n ** 63n - 1n],
  at: [new Date("1900-01-01T00:00:00Z"), new Date(-1), new Date(0), new Date(1), new Date("2026-01-01T00:00:00Z")],
};

/** Two rows without a value: one says so, one says nothing. */
const empty = ["null", "absent"];

async function prepare(stage: Stage): Promise<Items> {
  return stage.prepared("scalars", async () => {
    const items = await stage.open();
    const length = Math.max(...Object.values(ascending).map((values) => values.length));
    for (let index = 0; index < length; index++) {
      const values = Object.entries(ascending).map(([name, all]) => [name, all[index] ?? null]);
      await items.add({ id: `r${index}`, ...Object.fromEntries(values), active: index < 2 ? index === 1 : null });
    }
    const nulls = [...Object.keys(ascending), "active"].map((name) => [name, null]);
    await items.addAll([{ id: "null", ...Object.fromEntries(nulls) }, { id: "absent" }]);
    return items;
  });
}

function orderCases(column: string, values: readonly Exclude<Scalar, null>[], total: number): FilterCase[] {
  const path = [column] as const;
  const ids = values.map((_, index) => `r${index}`);
  const without = [...empty, ...Array.from({ length: total - values.length }, (_, index) => `r${values.length + index}`)];
  const pivot = values.length >> 1;
  const value = values[pivot] ?? null;
  const here = ids[pivot] ?? "";
  const [below, above] = [ids.slice(0, pivot), ids.slice(pivot + 1)];
  const last = values.at(-1) ?? null;
  const cases: readonly (readonly [name: string, filter: Filter, ids: readonly string[]])[] = [
    ["eq", { op: "eq", path, value }, [here]],
    ["ne includes nulls", { op: "ne", path, value }, [...below, ...above, ...without]],
    ["gt", { op: "gt", path, value }, above],
    ["gte", { op: "gte", path, value }, [here, ...above]],
    ["lt leaves nulls out", { op: "lt", path, value }, below],
    ["lte leaves nulls out", { op: "lte", path, value }, [...below, here]],
    [
      "gte and lt",
      {
        op: "and",
        args: [
          { op: "gte", path, value: values[1] ?? null },
          { op: "lt", path, value },
        ],
      },
      ids.slice(1, pivot),
    ],
    ["in", { op: "in", path, values: [value, last] }, [here, ids.at(-1) ?? ""]],
    ["in with a null", { op: "in", path, values: [value, null] }, [here, ...without]],
    ["not in includes nulls", { op: "not", arg: { op: "in", path, values: [value] } }, [...below, ...above, ...without]],
    ["not gt includes nulls", { op: "not", arg: { op: "gt", path, value } }, [...below, here, ...without]],
    ["has", { op: "has", path }, ids],
    ["eq null", { op: "eq", path, value: null }, without],
    ["ne null", { op: "ne", path, value: null }, ids],
  ];
  return cases.map(([name, filter, expected]) => ({ name: `${column}: ${name}`, filter, ids: expected }));
}

const path = ["active"] as const;
const rowsInAll = 8;
const undecided = [...empty, "r2", "r3", "r4", "r5", "r6", "r7"];
const booleanCases: readonly FilterCase[] = [
  { name: "active: eq true", filter: { op: "eq", path, value: true }, ids: ["r1"] },
  { name: "active: eq false leaves nulls out", filter: { op: "eq", path, value: false }, ids: ["r0"] },
  { name: "active: ne true includes nulls", filter: { op: "ne", path, value: true }, ids: ["r0", ...undecided] },
  { name: "active: in", filter: { op: "in", path, values: [true, false] }, ids: ["r0", "r1"] },
  { name: "active: not eq includes nulls", filter: { op: "not", arg: { op: "eq", path, value: false } }, ids: ["r1", ...undecided] },
  { name: "active: eq null", filter: { op: "eq", path, value: null }, ids: undecided },
  { name: "active: has", filter: { op: "has", path }, ids: ["r0", "r1"] },
];

export const scalarFilterScenarios: readonly Scenario[] = [
  ...Object.entries(ascending).flatMap(([column, values]) => orderCases(column, values, rowsInAll)),
  ...booleanCases,
].map((filterCase) => filterScenario(filterCase, prepare));
