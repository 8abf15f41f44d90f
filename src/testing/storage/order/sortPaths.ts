import assert from "node:assert/strict";
import type { Filter } from "../../../ground/storage/filter.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Query, SortKey } from "../../../ground/storage/query.js";
import type { Path } from "../../../ground/storage/values/scalar.js";
import { idsOf } from "../assertions.js";
import { withId } from "../model.js";
import type { Needs, Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";
import { emptyRows, testPaths, valueAt, valuedRows } from "../testPaths.js";
import { after, sorted } from "./keyset.js";

type Direction = SortKey["dir"];

/** Every row three times; the ids of equal rows are not adjacent and do not follow the order of the values. */
const rows = [0, 1, 2].flatMap((copy) =>
  [...valuedRows, ...emptyRows].map((row, index) => ({ ...row, id: `r${String((index * 17) % 100).padStart(2, "0")}${copy}` })),
);

const directions: readonly Direction[] = ["asc", "desc"];
const needs: Needs = { sort: true, ops: ["and", "or", "eq", "gt", "gte", "lt", "lte", "has"] };
const even: Filter = { op: "eq", path: ["code"], value: "even" };

const indexes: CollectionModel["indexes"] = [...testPaths.map(({ path }) => [path]), [["code"], ["quantity"]]];

/** The same rows with numbers as ids, in the same order. */
function prepareNumbered(stage: Stage): Promise<Items> {
  return stage.prepared("sorted and numbered", async () => {
    const items = await stage.open({ ...withId("int", "store"), indexes });
    const inserted = rows.map(({ id, values }) => items.row({ ...values, id: numberOf(id) }));
    await items.rows.insertMany(inserted, { returning: "none" });
    return items;
  });
}

const numberOf = (id: string) => Number(id.slice(1)) + 1;

/** A prepared collection with an index on each path, and one without indexes. */
function prepare(stage: Stage, indexed: boolean): Promise<Items> {
  return stage.prepared(indexed ? "sorted by indexes" : "sorted", async () => {
    const items = await stage.open({ indexes: indexed ? indexes : [] });
    const inserted = rows.map(({ id, values }, index) => items.row({ ...values, id, code: index % 2 === 0 ? "even" : "odd" }));
    await items.rows.insertMany(inserted.toReversed(), { returning: "none" });
    return items;
  });
}

/** The expected order of ids: by value, null and missing lowest, then by id. */
function expectedIds(path: Path, dir: Direction, kept: readonly (typeof rows)[number][] = rows): string[] {
  const testPath = testPaths.find((candidate) => candidate.path === path);
  const ranked = kept.map((row) => {
    const rank = testPath === undefined ? "nothing" : row.rank(testPath);
    return { id: row.id, rank: typeof rank === "number" ? rank : -1 };
  });
  ranked.sort((left, right) => left.rank - right.rank || (left.id < right.id ? -1 : 1));
  return (dir === "asc" ? ranked : ranked.reverse()).map(({ id }) => id);
}

/** The rows that are walked: those of a filter, and those after a row. */
interface WalkedPart {
  readonly narrow?: Filter;
  readonly start?: Filter;
}

/** The ids of all pages after a row, one page after the other. Every second page is read together with its total. */
async function walk(items: Items, path: Path, dir: Direction, limit: number, { narrow, start }: WalkedPart = {}): Promise<unknown[]> {
  const met: unknown[] = [];
  let afterRow = start;
  for (let page = 0; page <= rows.length; page++) {
    const args = [narrow, afterRow].filter((arg) => arg !== undefined);
    const query: Query = { filter: args.length === 0 ? undefined : { op: "and", args }, sort: sorted(path, dir), limit };
    const total = { filter: narrow, max: rows.length };
    const found = page % 2 === 0 ? await items.rows.find(query, {}) : (await items.rows.findAndCount(query, total, {})).rows;
    met.push(...idsOf(found));
    const last = found.at(-1);
    if (last === undefined) return met;
    afterRow = after(path, dir, valueAt(last, path), valueAt(last, ["id"]));
  }
  assert.fail(`the pages do not end; ${met.length} rows came`);
}

const opposite = (dir: Direction): Direction => (dir === "asc" ? "desc" : "asc");

const keysetScenarios = testPaths.flatMap(({ path }) =>
  directions.flatMap((dir): Scenario[] => {
    const name = path.join(".");
    return [
      ...[true, false].map(
        (indexed): Scenario => ({
          name: `sort by ${name}, nulls lowest, ${dir}${indexed ? ", by an index" : ""}`,
          needs,
          async run(stage) {
            const items = await prepare(stage, indexed);
            const all = await items.rows.find({ sort: sorted(path, dir), limit: 1_000 }, {});
            assert.deepStrictEqual(idsOf(all), expectedIds(path, dir));
            const part = await items.rows.find({ sort: sorted(path, dir), limit: 7, offset: 20 }, {});
            assert.deepStrictEqual(idsOf(part), expectedIds(path, dir).slice(20, 27));
          },
        }),
      ),
      {
        name: `pages by keyset, ${name} ${dir}, meet every row once and in order`,
        needs,
        async run(stage) {
          assert.deepStrictEqual(await walk(await prepare(stage, true), path, dir, 4), expectedIds(path, dir));
        },
      },
      {
        name: `pages by keyset, ${name} ${dir}, without an index and with a filter beside`,
        needs,
        async run(stage) {
          const kept = rows.filter((_, index) => index % 2 === 0);
          assert.deepStrictEqual(await walk(await prepare(stage, false), path, dir, 5, { narrow: even }), expectedIds(path, dir, kept));
        },
      },
      {
        name: `pages by keyset, ${name} ${dir}, of rows that the store numbers`,
        needs,
        async run(stage) {
          assert.deepStrictEqual(await walk(await prepareNumbered(stage), path, dir, 4), expectedIds(path, dir).map(numberOf));
        },
      },
      {
        name: `pages by keyset, ${name} ${dir}, lead back from the last row to the first`,
        needs,
        async run(stage) {
          const items = await prepare(stage, true);
          const ids = expectedIds(path, dir);
          const last = await items.rows.get(ids.at(-1) ?? "", {});
          assert.ok(last !== undefined);
          const back = opposite(dir);
          const start = after(path, back, valueAt(last, path), valueAt(last, ["id"]));
          assert.deepStrictEqual(await walk(items, path, back, 6, { start }), ids.toReversed().slice(1));
        },
      },
    ];
  }),
);

/** Rows in which the path is never null: cursors then have no condition for nulls. */
const requiredScenarios = directions.map(
  (dir): Scenario => ({
    name: `pages by keyset over a field that is never null, ${dir}, with many ties`,
    needs,
    async run(stage) {
      const items = await prepare(stage, true);
      const met: unknown[] = [];
      let filter: Filter | undefined;
      for (let found = await items.rows.find({ sort: sorted(["code"], dir), limit: 4 }, {}); found.length > 0; ) {
        met.push(...idsOf(found));
        const last = found.at(-1) ?? {};
        filter = after(["code"], dir, valueAt(last, ["code"]), valueAt(last, ["id"]), false);
        found = await items.rows.find({ filter, sort: sorted(["code"], dir), limit: 4 }, {});
      }
      const evens = rows.filter((_, index) => index % 2 === 0).map(({ id }) => id);
      const odds = rows.filter((_, index) => index % 2 === 1).map(({ id }) => id);
      const ascending = [...evens.toSorted(), ...odds.toSorted()];
      assert.deepStrictEqual(met, dir === "asc" ? ascending : ascending.toReversed());
    },
  }),
);

export const pathSortScenarios: readonly Scenario[] = [...keysetScenarios, ...requiredScenarios];
