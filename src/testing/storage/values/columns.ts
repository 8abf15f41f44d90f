import assert from "node:assert/strict";
import type { Scenario } from "../scenario.js";

/** Values that a store must return unchanged, by column. */
const values: readonly (readonly [column: string, label: string, value: unknown])[] = [
  ["name", "empty text", ""],
  ["name", "text with emoji and combining marks", "👩‍👩‍👧 e\u0301 ﬀ \u{1F600}"],
  ["name", "text with quotes", `"double" 'single' \`back\` $1 ? :name`],
  ["name", "text with backslashes and wildcards", "\\ \\\\ \\n % _ * \\%"],
  ["name", "text with white space at its ends", " \t\r\n x \n"],
  ["name", "text of 100,000 characters", "0123456789".repeat(10_000)],
  ["name", "text that looks like JSON, a date and null", `{"a":1} 2026-01-01T00:00:00Z null`],
  ["quantity", "int 0", 0],
  ["quantity", "the largest safe integer", Number.MAX_SAFE_INTEGER],
  ["quantity", "the smallest safe integer", Number.MIN_SAFE_INTEGER],
  ["price", "a fraction", 0.1],
  ["price", "a whole number in a number column", 3],
  ["price", "1e308", 1e308],
  ["price", "the largest number", Number.MAX_VALUE],
  ["price", "5e-324", 5e-324],
  ["price", "a sum of fractions", 0.1 + 0.2],
  ["serial", "bigint 0", 0n],
  ["serial", "the largest bigint", 2n ** 63n - 1n],
  ["serial", "the smallest bigint", -(2n ** 63n)],
  ["serial", "a bigint that no double holds", 9_007_199_254_740_993n],
  ["active", "true", true],
  ["active", "false", false],
  ["at", "an instant in milliseconds", new Date("2026-03-29T01:30:00.123Z")],
  ["at", "the epoch", new Date(0)],
  ["at", "an instant before 1970", new Date("1969-12-31T23:59:59.999Z")],
  ["at", "an instant before time zones", new Date("1900-01-01T00:00:00.001Z")],
  ["at", "the last instant of the year 9999", new Date("9999-12-31T23:59:59.999Z")],
  ["address", "an empty object", {}],
  ["address", "an empty array", []],
  ["address", "nested objects and arrays", { a: [{ b: [[1, "2", true, null]] }, {}], c: { d: { e: { f: [] } } } }],
  ["address", "objects with unusual keys", { città: "x", "a.b": 1, "": 2, "😀": 3, 'quo"te': 4, "back\\slash": 5, $x: 6 }],
  ["address", "JSON text with quotes and line breaks", { text: 'say "hi"\\\n\u2028 😀' }],
  ["address", "JSON numbers", [0, -1, 0.1, 1e21, 1e-7, Number.MAX_SAFE_INTEGER]],
  ["address", "a JSON string", "plain"],
  ["address", "a JSON string that looks like JSON", '{"not":"parsed"}'],
  ["address", "a JSON number", 42],
  ["address", "JSON false", false],
  ["tags", "an array of text", ["red", "", "blå", 'q"']],
];

const emptyNames = ["name", "email", "quantity", "price", "serial", "active", "at", "address", "tags"];

export const columnScenarios: readonly Scenario[] = [
  ...values.map(
    ([column, label, value]): Scenario => ({
      name: `${column} gives back ${label} from insert, get, find and update`,
      async run(stage) {
        const items = await stage.prepared("columns", () => stage.open());
        const id = label;
        const inserted = await items.add({ id, [column]: value });
        const got = await items.rows.get(id, {});
        const [found] = await items.rows.find({ filter: { op: "eq", path: ["id"], value: id }, sort: [], limit: 2 }, {});
        const updated = await items.rows.update(id, { [column]: value, ...stage.stamp() }, {});
        for (const row of [inserted, got, found, updated.ok ? updated.row : undefined]) assert.deepStrictEqual(row?.[column], value);
      },
    }),
  ),
  {
    name: "minus zero comes back as a zero",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a", price: -0 });
      assert.ok((await items.rows.get("a", {}))?.["price"] === 0);
    },
  },
  {
    name: "null reads back as null or absent in every column",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a", ...Object.fromEntries(emptyNames.map((name) => [name, null])) });
      const row = await items.rows.get("a", {});
      assert.ok(row !== undefined);
      for (const name of emptyNames) assert.ok(row[name] === null || row[name] === undefined, name);
    },
  },
  {
    name: "an absent member reads back as null or absent in every column",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a" });
      const row = await items.rows.get("a", {});
      assert.ok(row !== undefined);
      for (const name of emptyNames) assert.ok(row[name] === null || row[name] === undefined, name);
    },
  },
  {
    name: "the version of a row comes back as it was written",
    needs: { ownTable: true },
    async run(stage) {
      const items = await stage.open();
      await items.rows.insert({ ...items.row({ id: "a" }), _version: "01J8ZQ/é+=" }, {});
      assert.equal((await items.rows.get("a", {}))?._version, "01J8ZQ/é+=");
    },
  },
  {
    name: "the instant of the last write comes back as it was written",
    async run(stage) {
      const items = await stage.open();
      const _updatedAt = new Date("1999-12-31T23:59:59.001Z");
      await items.rows.insert({ ...items.row({ id: "a" }), _updatedAt }, {});
      assert.deepStrictEqual((await items.rows.get("a", {}))?._updatedAt, _updatedAt);
    },
  },
];
