import type { Filter } from "../../../ground/storage/filter.js";
import type { Path } from "../../../ground/storage/values/scalar.js";
import type { Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";
import type { Value } from "../testPaths.js";
import { type FilterCase, filterScenario } from "./filterScenario.js";

/** The values of rows where an array is expected. */
const held: Readonly<Record<string, unknown>> = {
  text: ["red", "Blue", "", "\u00e9"],
  decomposed: ["e\u0301"],
  digits: ["1", "true", "null"],
  numbers: [1, 0.1, -2, 1e300],
  booleans: [true, false],
  mixed: ["red", 1, true, null],
  null: [null],
  wildcards: ["a%", "_", "*", "[a]", "\\", "'", '"'],
  inner: [["red"], [1]],
  objects: [{ red: 1 }, { a: "red" }],
  long: Array.from({ length: 500 }, (_, index) => `item ${index}`),
  empty: [],
  scalar: "red",
  object: { red: "red", 0: "red" },
  nothing: null,
  absent: undefined,
};

/** A column, and a path inside JSON three levels deep. */
const arrayPaths: readonly Path[] = [["tags"], ["address", "a", "tags"]];

async function prepare(stage: Stage): Promise<Items> {
  return stage.prepared("arrays", async () => {
    const items = await stage.open({ indexes: [[["tags"]]] });
    const rows = Object.entries(held).map(([id, value]) => (value === undefined ? { id } : { id, tags: value, address: { a: { tags: value } } }));
    await items.addAll([...rows, { id: "parent", address: { a: ["red"] } }, { id: "none", address: "red" }]);
    return items;
  });
}

const all = [...Object.keys(held), "parent", "none"];

const cases: readonly (readonly [name: string, value: Value, ids: readonly string[]])[] = [
  ["text", "red", ["text", "mixed"]],
  ["text of another case", "blue", []],
  ["empty text", "", ["text"]],
  ["composed text", "\u00e9", ["text"]],
  ["decomposed text", "e\u0301", ["decomposed"]],
  ["a part of a text", "re", []],
  ["text that looks like a number", "1", ["digits"]],
  ["text that looks like a boolean", "true", ["digits"]],
  ["text that looks like null", "null", ["digits"]],
  ["an integer", 1, ["numbers", "mixed"]],
  ["an integer as a bigint", 1n, ["numbers", "mixed"]],
  ["a fraction", 0.1, ["numbers"]],
  ["a negative number", -2, ["numbers"]],
  ["a very large number", 1e300, ["numbers"]],
  ["a number that is not there", 2, []],
  ["true", true, ["booleans", "mixed"]],
  ["false", false, ["booleans"]],
  ["a percent sign", "%", []],
  ["text with a percent sign", "a%", ["wildcards"]],
  ["an underscore", "_", ["wildcards"]],
  ["an asterisk", "*", ["wildcards"]],
  ["brackets", "[a]", ["wildcards"]],
  ["a backslash", "\\", ["wildcards"]],
  ["a single quote", "'", ["wildcards"]],
  ["a double quote", '"', ["wildcards"]],
  ["the last of 500", "item 499", ["long"]],
  ["an instant", new Date(0), []],
];

export const arrayFilterScenarios: readonly Scenario[] = arrayPaths.flatMap((path) => {
  const column = path.join(".");
  const contains = (value: Value | null): Filter => ({ op: "contains", path, value });
  const both = (op: "and" | "or"): Filter => ({ op, args: [contains("red"), contains(1)] });
  const filterCases: FilterCase[] = [
    ...cases.flatMap(([name, value, ids]): FilterCase[] => [
      { name: `${column} contains ${name}`, filter: contains(value), ids },
      {
        name: `${column} does not contain ${name}: nulls and what is no array are included`,
        filter: { op: "not", arg: contains(value) },
        ids: all.filter((id) => !ids.includes(id)),
      },
    ]),
    { name: `${column} contains null: never`, filter: contains(null), ids: [] },
    { name: `${column} contains one and another`, filter: both("and"), ids: ["mixed"] },
    { name: `${column} contains one or another`, filter: both("or"), ids: ["text", "mixed", "numbers"] },
    { name: `${column} has an array, also an empty one`, filter: { op: "has", path }, ids: all.slice(0, -4) },
    { name: `${column} eq text never means an array`, filter: { op: "eq", path, value: "red" }, ids: ["scalar"] },
    { name: `${column} like never means an array`, filter: { op: "like", path, parts: [{ any: "many" }] }, ids: ["scalar"] },
    { name: `${column} gt never means an array`, filter: { op: "gt", path, value: "" }, ids: ["scalar"] },
  ];
  return filterCases.map((filterCase) => filterScenario(filterCase, prepare));
});
