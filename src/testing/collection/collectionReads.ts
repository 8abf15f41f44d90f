import assert from "node:assert/strict";
import type { Row } from "../../ground/storage/collection.js";
import type { Filter, FilterOp } from "../../ground/storage/filter.js";
import { comparisonsOf } from "../../ground/storage/matches/comparisons.js";
import { compileFilter } from "../../ground/storage/matches/compileFilter.js";
import type { Column } from "../../ground/storage/model.js";
import type { SortKey } from "../../ground/storage/query.js";
import type { Scalar } from "../../ground/storage/values/scalar.js";
import { assertSameRow } from "../storage/assertions.js";
import type { CollectionScenario } from "./collectionScenario.js";
import { type CollectionStage, sampleCount } from "./collectionStage.js";

const pageRows = 7;

/** Texts of a table of the developer are in the order of its collation, which nothing here knows. */
function hasKnownOrder(stage: CollectionStage, { kind }: Column): boolean {
  return !(stage.rows.can.mapped && kind === "text");
}

function sortedColumns({ scalars, rows: { can } }: CollectionStage): readonly Column[] {
  return scalars.filter(({ name }) => can.sortable === "all" || can.sortable.includes(name));
}

/** An order ends with the id, so that it is total. */
function orderOf({ model }: CollectionStage, { name }: Column, dir: SortKey["dir"]): readonly SortKey[] {
  const ids = (model.idParts ?? [model.id]).filter((id) => id !== name);
  return [{ path: [name], dir }, ...ids.map((id): SortKey => ({ path: [id], dir }))];
}

function keysOf(stage: CollectionStage, rows: readonly Row[]): readonly string[] {
  return rows.map((row) => String(stage.idOf(row)));
}

/** Filters over one column, with values that rows have. */
function filtersOf(stage: CollectionStage, column: Column, stored: readonly Row[]): readonly Filter[] {
  const path = [column.name] as const;
  const present = stored.map((row) => row[column.name] ?? null).filter((value) => value !== null) as Scalar[];
  const values = [...new Map(present.map((value) => [String(value), value])).values()].slice(0, 3);
  const ordering: readonly FilterOp[] = hasKnownOrder(stage, column) ? ["gt", "gte", "lt", "lte"] : [];
  const as = column.kind === "decimal" ? ({ as: "decimal" } as const) : {};
  const filters: Filter[] = [
    ...values.flatMap((value) => [{ op: "eq", path, value } as const, { op: "ne", path, value } as const]),
    ...values.flatMap((value) => ordering.map((op) => ({ op, path, value, ...as }) as Filter)),
    { op: "eq", path, value: null },
    { op: "ne", path, value: null },
    { op: "in", path, values },
    { op: "in", path, values: [] },
    { op: "has", path },
  ];
  return filters.filter(({ op }) => stage.rows.can.ops.includes(op));
}

async function assertFound(stage: CollectionStage, stored: readonly Row[], filter: Filter): Promise<void> {
  const found = await stage.rows.find({ filter, sort: [], limit: 1_000 }, stage.call);
  const expected = stored.filter(compileFilter(filter));
  const label = JSON.stringify(filter, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
  assert.deepStrictEqual([...keysOf(stage, found)].sort(), [...keysOf(stage, expected)].sort(), label);
  assert.equal(await stage.rows.count(filter, stage.call), expected.length, `the count of ${label}`);
}

export const collectionReadScenarios: readonly CollectionScenario[] = [
  {
    name: "get finds each row by its id and no other",
    async run(stage) {
      const stored = await stage.fill(5);
      for (const row of stored) assertSameRow(await stage.rows.get(stage.idOf(row), stage.call), row);
      const [first] = stored;
      assert.ok(first !== undefined);
      const id = stage.idOf(first);
      await stage.rows.remove(id, stage.call);
      assert.equal(await stage.rows.get(id, stage.call), undefined);
    },
  },
  {
    name: "find without a filter returns each row once, as get does",
    async run(stage) {
      const stored = await stage.fill();
      const found = await stage.rows.find({ sort: [], limit: 1_000 }, stage.call);
      assert.equal(found.length, stored.length);
      for (const row of found) assertSameRow(await stage.rows.get(stage.idOf(row), stage.call), row);
      assert.deepStrictEqual(await stage.rows.find({ sort: [], limit: 0 }, stage.call), []);
      assert.equal(await stage.rows.count(undefined, stage.call), stored.length);
    },
  },
  {
    name: "getMany returns the rows that exist",
    async run(stage) {
      const stored = await stage.fill(6);
      const ids = stored.slice(1, 4).map((row) => stage.idOf(row));
      const found = await stage.rows.getMany(ids, stage.call);
      assert.deepStrictEqual([...keysOf(stage, found)].sort(), ids.map(String).sort());
    },
  },
  {
    name: "each sort returns all rows in its order, backwards in reverse, and in pages each row once",
    async run(stage) {
      const stored = await stage.fill();
      for (const column of sortedColumns(stage)) {
        const sort = orderOf(stage, column, "asc");
        const rows = await stage.rows.find({ sort, limit: 1_000 }, stage.call);
        assert.deepStrictEqual([...keysOf(stage, rows)].sort(), [...keysOf(stage, stored)].sort(), `all rows by "${column.name}"`);
        const backwards = await stage.rows.find({ sort: orderOf(stage, column, "desc"), limit: 1_000 }, stage.call);
        assert.deepStrictEqual(keysOf(stage, backwards), [...keysOf(stage, rows)].reverse(), `by "${column.name}", descending`);
        if (hasKnownOrder(stage, column)) assertAscending(stage, rows, column);
        const pages: Row[] = [];
        for (let offset = 0; offset < sampleCount; offset += pageRows) {
          pages.push(...(await stage.rows.find({ sort, limit: pageRows, offset }, stage.call)));
        }
        assert.deepStrictEqual(keysOf(stage, pages), keysOf(stage, rows), `pages by "${column.name}"`);
      }
    },
  },
  {
    name: "iterate returns the rows of find, in batches",
    async run(stage) {
      await stage.fill();
      const [column] = sortedColumns(stage);
      const query = { sort: column === undefined ? [] : orderOf(stage, column, "asc"), limit: 1_000 };
      const batches: Row[][] = [];
      for await (const batch of stage.rows.iterate(query, { ...stage.call, batch: pageRows })) batches.push(batch);
      assert.ok(batches.every(({ length }) => length > 0 && length <= pageRows));
      assert.deepStrictEqual(keysOf(stage, batches.flat()), keysOf(stage, await stage.rows.find(query, stage.call)));
    },
  },
  {
    name: "each operator finds the rows that it matches, and counts them",
    async run(stage) {
      const stored = await stage.fill();
      for (const column of stage.scalars) {
        for (const filter of filtersOf(stage, column, stored)) await assertFound(stage, stored, filter);
      }
    },
  },
  {
    name: "and, or and not combine filters",
    needs: { ops: ["and", "or", "not", "eq"] },
    async run(stage) {
      const stored = await stage.fill();
      const equals = stage.scalars.map(({ name }): Filter => ({ op: "eq", path: [name], value: (stored[0]?.[name] ?? null) as Scalar }));
      const [one, other = one] = equals.slice(-2);
      assert.ok(one !== undefined && other !== undefined);
      for (const op of ["and", "or"] as const) {
        for (const args of [[], [one], [one, other], [{ op: "not", arg: one } as const, other]]) await assertFound(stage, stored, { op, args });
      }
      await assertFound(stage, stored, { op: "not", arg: { op: "and", args: [one, other] } });
    },
  },
  {
    name: "a choice of fields has the id, the version and those fields",
    async run(stage) {
      const stored = await stage.fill(3);
      const { model } = stage;
      for (const { name } of model.columns.filter((column) => column.name !== model.id)) {
        const found = await stage.rows.find({ sort: [], limit: 10, fields: [[name]] }, stage.call);
        for (const row of found) {
          const whole = stored.find((each) => stage.idOf(each) === stage.idOf(row));
          assert.ok(whole !== undefined);
          assert.deepStrictEqual(row[name] ?? null, whole[name] ?? null, `"${name}" of a choice of fields`);
          assert.equal(row._version, whole._version);
        }
      }
    },
  },
];

function assertAscending({ model }: CollectionStage, rows: readonly Row[], { name }: Column): void {
  const compare = comparisonsOf(model)([name]);
  for (const [index, row] of rows.slice(1).entries()) {
    const [left, right] = [rows[index]?.[name] ?? null, row[name] ?? null];
    assert.ok(compare(left, right) <= 0, `by "${name}", ${String(left)} comes before ${String(right)}`);
  }
}
