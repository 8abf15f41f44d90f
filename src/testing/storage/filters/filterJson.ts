import type { Filter } from "../../../ground/storage/filter.js";
import type { Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";
import { type FilterCase, filterScenario } from "./filterScenario.js";

async function prepare(stage: Stage): Promise<Items> {
  return stage.prepared("json", async () => {
    const items = await stage.open();
    await items.addAll([
      { id: "a", address: { city: "Paris", floor: 3, open: true, geo: { lat: 48.5 }, "città.è": "x" }, tags: ["red", "blue"] },
      { id: "b", address: { city: "paris", floor: 10, open: false, geo: { lat: -1 } }, tags: ["BLUE", 1] },
      { id: "c", address: { city: "Île%", floor: "3", open: "true", geo: "lat" }, tags: [] },
      { id: "d", address: { city: null, floor: true, open: 1, geo: null }, tags: ["a%", "1", null] },
      { id: "e", address: { city: "", floor: 0, open: 0, geo: {} }, tags: ["red"] },
      { id: "f", address: ["Paris"], tags: "red" },
      { id: "g", address: null, tags: { a: "red" } },
      { id: "h" },
    ]);
    return items;
  });
}

const city = ["address", "city"] as const;
const floor = ["address", "floor"] as const;
const open = ["address", "open"] as const;
const latitude = ["address", "geo", "lat"] as const;
const tags = ["tags"] as const;

const cases: readonly (readonly [name: string, filter: Filter, ids: readonly string[]])[] = [
  ["eq on nested text", { op: "eq", path: city, value: "Paris" }, ["a"]],
  ["eq on empty nested text", { op: "eq", path: city, value: "" }, ["e"]],
  ["ne on nested text includes what is missing", { op: "ne", path: city, value: "Paris" }, ["b", "c", "d", "e", "f", "g", "h"]],
  ["gt on nested text is by code point", { op: "gt", path: city, value: "Z" }, ["b", "c"]],
  ["in on nested text", { op: "in", path: city, values: ["Paris", "paris"] }, ["a", "b"]],
  ["in with a null on nested text", { op: "in", path: city, values: ["Paris", null] }, ["a", "d", "f", "g", "h"]],
  ["like on nested text", { op: "like", path: city, parts: [{ any: "one" }, "ari", { any: "many" }] }, ["a", "b"]],
  ["like on nested text with a percent sign", { op: "like", path: city, parts: [{ any: "many" }, "%"] }, ["c"]],
  ["folded like on nested searchable text", { op: "like", path: city, parts: ["î", { any: "many" }], fold: true }, ["c"]],
  ["like never matches a nested number", { op: "like", path: floor, parts: [{ any: "many" }] }, ["c"]],
  ["eq on a nested number is not text or true", { op: "eq", path: floor, value: 3 }, ["a"]],
  ["eq on nested text is not a number", { op: "eq", path: floor, value: "3" }, ["c"]],
  ["gt on nested numbers is by value", { op: "gt", path: floor, value: 3 }, ["b"]],
  ["lte on nested numbers leaves text and booleans out", { op: "lte", path: floor, value: 3 }, ["a", "e"]],
  ["gte on nested text leaves numbers out", { op: "gte", path: floor, value: "" }, ["c"]],
  ["eq 1 on a nested value is not true", { op: "eq", path: open, value: 1 }, ["d"]],
  ["eq true on a nested value is not 1 or text", { op: "eq", path: open, value: true }, ["a"]],
  ["eq false on a nested value is not 0", { op: "eq", path: open, value: false }, ["b"]],
  ["ne true on a nested value includes all others", { op: "ne", path: open, value: true }, ["b", "c", "d", "e", "f", "g", "h"]],
  ["two levels down", { op: "lt", path: latitude, value: 48.5 }, ["b"]],
  ["a scalar, a null or nothing on the way is missing", { op: "eq", path: latitude, value: null }, ["c", "d", "e", "f", "g", "h"]],
  ["has on a nested value", { op: "has", path: city }, ["a", "b", "c", "e"]],
  ["has on a nested object, also an empty one", { op: "has", path: ["address", "geo"] }, ["a", "b", "c", "e"]],
  ["has on a whole column", { op: "has", path: ["address"] }, ["a", "b", "c", "d", "e", "f"]],
  ["eq null on a nested value", { op: "eq", path: city, value: null }, ["d", "f", "g", "h"]],
  ["not has on a nested value", { op: "not", arg: { op: "has", path: city } }, ["d", "f", "g", "h"]],
  ["a key with a dot and accents", { op: "eq", path: ["address", "città.è"], value: "x" }, ["a"]],
  ["a key of every object is no member", { op: "has", path: ["address", "toString"] }, []],
  ["a position in an array is no member", { op: "has", path: ["address", "0"] }, []],
  ["the length of an array is no member", { op: "has", path: ["address", "length"] }, []],
  ["eq never matches an object or an array", { op: "eq", path: ["address", "geo"], value: "{}" }, []],
  ["contains text", { op: "contains", path: tags, value: "red" }, ["a", "e"]],
  ["contains compares case", { op: "contains", path: tags, value: "blue" }, ["a"]],
  ["contains has no wildcards", { op: "contains", path: tags, value: "a%" }, ["d"]],
  ["contains a number is not text", { op: "contains", path: tags, value: 1 }, ["b"]],
  ["contains text is not a number", { op: "contains", path: tags, value: "1" }, ["d"]],
  ["contains what no array holds", { op: "contains", path: tags, value: "green" }, []],
  ["not contains includes nulls and empty arrays", { op: "not", arg: { op: "contains", path: tags, value: "red" } }, ["b", "c", "d", "f", "g", "h"]],
  ["eq on a column that holds a JSON text", { op: "eq", path: tags, value: "red" }, ["f"]],
];

export const jsonFilterScenarios: readonly Scenario[] = cases.map(([name, filter, ids]) =>
  filterScenario({ name: `json: ${name}`, filter, ids } satisfies FilterCase, prepare),
);
