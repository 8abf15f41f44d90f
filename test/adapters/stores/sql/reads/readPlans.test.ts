import { sqlStorage } from "restwright/sql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dialects } from "../../../../../adapters/stores/sql/engine/engines.js";
import { sqliteExecutor } from "../../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import { countRows } from "../../../../../adapters/stores/sql/query/counting.js";
import { ReadPlans } from "../../../../../adapters/stores/sql/query/longReads/readPlans.js";
import { selectRows } from "../../../../../adapters/stores/sql/query/select.js";
import { compileTable } from "../../../../../adapters/stores/sql/schema/table.js";
import type { Filter } from "../../../../../src/ground/storage/filter.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import type { SortKey } from "../../../../../src/ground/storage/query.js";
import { keysetFilter } from "../../../../../src/language/query/paging/keyset.js";

const model: CollectionModel = {
  name: "parcels",
  id: "id",
  idFrom: "caller",
  columns: [
    { name: "id", kind: "text" },
    { name: "status", kind: "text" },
    { name: "at", kind: "int" },
    { name: "owner", kind: "text" },
  ],
  unique: [],
  indexes: [[["status"]], [["at"]]],
  searchable: [],
};

const is = (name: string, value: string): Filter => ({ op: "eq", path: [name], value });
const both = (...args: readonly Filter[]): Filter => ({ op: "and", args });
const afterPlace = (owner: string, id: string): Filter =>
  keysetFilter([
    { path: ["owner"], dir: "desc", value: owner, nullable: false },
    { path: ["id"], dir: "desc", value: id, nullable: false },
  ]);
const byOwner: readonly SortKey[] = [
  { path: ["owner"], dir: "desc" },
  { path: ["id"], dir: "desc" },
];

describe("a read of SQLite whose index leaves other conditions or the order to look at", () => {
  const executor = sqliteExecutor({ path: ":memory:" });
  const storage = sqlStorage(executor);
  const table = compileTable(model, dialects.sqlite);
  const plans = new ReadPlans(executor, table);

  beforeAll(async () => {
    await storage.migrate?.([model]);
    const rows = Array.from({ length: 6_000 }, (_, index) => ({
      id: `p${index}`,
      status: index % 100 === 0 ? "rare" : "common",
      at: index,
      owner: `o${index % 7}`,
      _version: "v",
      _updatedAt: new Date(0),
    }));
    await storage.collection(model).insertMany?.(rows, {});
  });
  afterAll(() => storage.close?.());

  test.each<[name: string, filter: Filter, isLong: boolean]>([
    ["with few rows in the index", both(is("status", "rare"), is("owner", "o1")), false],
    [
      "with few rows for a list of values",
      both({ op: "in", path: ["status"], values: ["rare", "none"] }, { op: "ne", path: ["owner"], value: "o1" }),
      false,
    ],
    ["on a later page of few rows", both(is("status", "rare"), afterPlace("o4", "p3000")), false],
    ["with a short range", both({ op: "gte", path: ["at"], value: 5_900 }, is("owner", "o1")), false],
    ["with many rows in the index", both(is("status", "common"), is("owner", "o1")), true],
    ["with a long range", both({ op: "gte", path: ["at"], value: 10 }, is("owner", "o1")), true],
    ["with two conditions for one term", both(is("status", "rare"), is("status", "common"), is("owner", "o1")), true],
    ["without an index", is("owner", "o1"), true],
    ["with conditions on either of two columns", { op: "or", args: [is("status", "rare"), is("owner", "o1")] }, true],
  ])("%s", async (_, filter, isLong) => {
    const query = { filter, sort: byOwner, limit: 20 };
    expect(await plans.isLong(selectRows(table, query, "").statement, query, "")).toBe(isLong);
    expect(await plans.isLongCount(countRows(table, filter, "", { max: 10_001 }), filter, 10_001, "")).toBe(isLong);
  });

  test("is long as soon as the index has many rows", async () => {
    const query = { filter: both(is("status", "grows"), is("owner", "o1")), sort: byOwner, limit: 20 };
    const ask = async () => new ReadPlans(executor, compileTable(model, dialects.sqlite)).isLong(selectRows(table, query, "").statement, query, "");
    expect(await ask()).toBe(false);
    const rows = Array.from({ length: 2_500 }, (_, at) => ({
      id: `g${at}`,
      status: "grows",
      at,
      owner: "o1",
      _version: "v",
      _updatedAt: new Date(0),
    }));
    await storage.collection(model).insertMany?.(rows, {});
    expect(await ask()).toBe(true);
  });
});
