import { postgresStorage } from "restwright/postgres";
import { sqlStorage } from "restwright/sql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dialects } from "../../../../../adapters/stores/sql/engine/engines.js";
import type { SqlExecutor, SqlStatement } from "../../../../../adapters/stores/sql/engine/executor.js";
import { postgresExecutor } from "../../../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { sqliteExecutor } from "../../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import { selectGroups } from "../../../../../adapters/stores/sql/query/groups.js";
import { selectRows } from "../../../../../adapters/stores/sql/query/select.js";
import { compileTable } from "../../../../../adapters/stores/sql/schema/table.js";
import type { NewRow } from "../../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../../src/ground/storage/filter.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import type { Query } from "../../../../../src/ground/storage/query.js";
import type { Path, Scalar } from "../../../../../src/ground/storage/values/scalar.js";
import { keysetFilter } from "../../../../../src/language/query/paging/keyset.js";
import { sorted } from "../../../../../src/testing/storage/order/keyset.js";
import { needs } from "../../../../tools/engines.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";

const model: CollectionModel = {
  name: "parcels",
  id: "id",
  idFrom: "caller",
  columns: [
    { name: "id", kind: "text" },
    { name: "status", kind: "text" },
    { name: "at", kind: "datetime" },
    { name: "rank", kind: "int" },
    { name: "owner", kind: "text" },
    { name: "address", kind: "json" },
    { name: "tags", kind: "json" },
  ],
  unique: [],
  indexes: [
    [["status"], ["at"]],
    [["at"]],
    [["rank"]],
    [["owner"]],
    [["address", "city"]],
    [["address", "geo", "floor"]],
    [["address", "door"]],
    [["tags"]],
  ],
  searchable: [],
  memberDefaults: [{ path: ["address", "door"], cases: [{ missing: ["address", "door"], value: 5 }] }],
};

const parcels = Array.from({ length: 2_000 }, (_, index): NewRow => {
  const shuffled = (index * 7_919) % 2_000;
  return {
    id: `p${shuffled}`,
    status: ["open", "paid", "void", "lost"][shuffled % 4],
    at: shuffled % 5 === 0 ? null : new Date(shuffled * 60_000),
    rank: shuffled % 10,
    owner: `o${shuffled % 200}`,
    address:
      shuffled % 3 === 0 ? null : { city: `c${shuffled % 50}`, geo: { floor: shuffled % 90 }, ...(shuffled % 10 > 2 && { door: shuffled % 70 }) },
    tags: [`t${shuffled % 100}`],
    _version: `v${index}`,
    _updatedAt: new Date(0),
  };
});

const status: Filter = { op: "eq", path: ["status"], value: "paid" };
const day: Filter = {
  op: "and",
  args: [
    { op: "gte", path: ["at"], value: new Date(600_000) },
    { op: "lt", path: ["at"], value: new Date(1_200_000) },
  ],
};
const city: Path = ["address", "city"];
const floor: Path = ["address", "geo", "floor"];
/** Most rows lack it, and have its default. */
const door: Path = ["address", "door"];

/** The condition of a cursor over a nullable place and the id. */
function after(path: Path, dir: "asc" | "desc", value: Scalar, id: Scalar): Filter {
  return keysetFilter([
    { path, dir, value, nullable: true },
    { path: ["id"], dir, value: id, nullable: false },
  ]);
}

const page = (path: Path, dir: "asc" | "desc", value: Scalar): Query => ({
  filter: after(path, dir, value, "p5"),
  sort: sorted(path, dir),
  limit: 20,
});
const pairs = (dir: "asc" | "desc"): Query => ({
  filter: keysetFilter([
    { path: ["status"], dir, value: "open", nullable: false },
    { path: ["at"], dir, value: new Date(60_000), nullable: false },
    { path: ["id"], dir, value: "p5", nullable: false },
  ]),
  sort: [{ path: ["status"], dir }, ...sorted(["at"], dir)],
  limit: 20,
});

interface Case {
  readonly name: string;
  readonly query: Query;
  /** The path or paths of the index. */
  readonly index: string;
  /** What the engine searches the index by. */
  readonly sqlite: string;
  readonly postgres: RegExp;
}

const cases: readonly Case[] = [
  {
    name: "equality, sorted",
    query: { filter: status, sort: sorted(["at"], "desc"), limit: 20 },
    index: "order:status:at",
    sqlite: "(_tenant=? AND status=?)",
    postgres: /\(status = 'paid'/,
  },
  {
    name: "a range of instants, sorted",
    query: { filter: day, sort: sorted(["at"], "asc"), limit: 20 },
    index: "order:at",
    sqlite: "(_tenant=? AND at>? AND at<?)",
    postgres: /\(at >= .* AND \(at < /,
  },
  {
    name: "the first page of a sort",
    query: { sort: sorted(["rank"], "desc"), limit: 20 },
    index: "order:rank",
    sqlite: "(_tenant=?)",
    postgres: /_tenant = /,
  },
  {
    name: "equality of a nested place",
    query: { filter: { op: "eq", path: city, value: "c7" }, sort: [], limit: 20 },
    index: "order:address.city",
    sqlite: "(_tenant=? AND <expr>=?)",
    postgres: /= 'c7'/,
  },
  {
    name: "a range of a nested number",
    query: { filter: { op: "gt", path: floor, value: 87 }, sort: [], limit: 20 },
    index: "order:address.geo.floor",
    sqlite: "(_tenant=? AND <expr>>?)",
    postgres: /> '87'::numeric/,
  },
  {
    name: "the first page of a nested sort",
    query: { sort: sorted(city, "asc"), limit: 20 },
    index: "order:address.city",
    sqlite: "(_tenant=?)",
    postgres: /_tenant = /,
  },
  {
    name: "a page by keyset, ascending",
    query: page(["rank"], "asc", 7),
    index: "order:rank",
    sqlite: "(_tenant=? AND (rank,id)>(?,?))",
    postgres: /ROW\(rank, id\) > ROW/,
  },
  {
    name: "a page by keyset, descending",
    query: page(["rank"], "desc", 3),
    index: "order:rank",
    sqlite: "(_tenant=? AND rank>? AND (rank,id)<(?,?))",
    postgres: /ROW\(rank, id\) < ROW/,
  },
  {
    name: "a page by keyset within an equality",
    query: { filter: { op: "and", args: [status, after(["at"], "asc", new Date(60_000), "p5")] }, sort: sorted(["at"], "asc"), limit: 20 },
    index: "order:status:at",
    sqlite: "(_tenant=? AND status=? AND (at,id)>(?,?))",
    postgres: /ROW\(at, id\) > ROW/,
  },
  {
    name: "a page by keyset of two fields, ascending",
    query: pairs("asc"),
    index: "order:status:at",
    sqlite: "(_tenant=? AND (status,at,id)>(?,?,?))",
    postgres: /ROW\(status, at, id\) > ROW/,
  },
  {
    name: "a page by keyset of two fields, descending",
    query: pairs("desc"),
    index: "order:status:at",
    sqlite: "(_tenant=? AND (status,at,id)<(?,?,?))",
    postgres: /ROW\(status, at, id\) < ROW/,
  },
  {
    name: "a page by keyset among nulls",
    query: page(["at"], "asc", null),
    index: "order:at",
    sqlite: "(_tenant=? AND at=? AND id>?)",
    postgres: /\(at IS NULL\) AND \(id > /,
  },
  {
    name: "a page by keyset at a nested place",
    query: page(city, "asc", "c3"),
    index: "order:address.city",
    sqlite: "(_tenant=? AND <expr>=? AND id>?)",
    postgres: /= 'c3'.*\(id > 'p5'/,
  },
  {
    name: "equality with the default of a member",
    query: { filter: { op: "eq", path: door, value: 5 }, sort: [], limit: 20 },
    index: "order:address.door=1:5",
    sqlite: "(_tenant=? AND <expr>=?)",
    postgres: /= '5'/,
  },
  {
    name: "a page by keyset at a member with a default",
    query: page(door, "desc", 5),
    index: "order:address.door=1:5",
    sqlite: "(_tenant=? AND <expr>=? AND id<?)",
    postgres: /= '5'.*\(id < 'p5'/,
  },
  {
    name: "a page by keyset at a nested place among nulls",
    query: page(city, "desc", null),
    index: "order:address.city",
    sqlite: "(_tenant=? AND <expr>=? AND id<?)",
    postgres: /IS NULL\) AND \(id < /,
  },
];

/** What the engine says that it will do, a line a step. */
async function explain(executor: SqlExecutor, statement: SqlStatement): Promise<string> {
  const prefix = executor.dialect === "sqlite" ? "explain query plan" : "explain (costs off)";
  const { rows } = await executor.query({ ...statement, text: `${prefix} ${statement.text}`, returns: "many", bigints: false });
  return rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])).join("\n");
}

const groups = { key: "owner", keys: ["o1", "o2"], limit: 10 } as const;

describe("SQLite", () => {
  const executor = sqliteExecutor({ path: ":memory:" });
  const table = compileTable(model, dialects.sqlite);
  beforeAll(async () => {
    const storage = sqlStorage(executor);
    await storage.migrate?.([model]);
    await storage.collection(model).insertMany?.(parcels, {});
  });
  afterAll(() => executor.close?.());

  test.each(cases)("finds $name by its index, before and after it knows the rows", async ({ query, index, sqlite }) => {
    for (const text of ["select 1", "analyze"]) {
      await executor.query({ text, values: [], writes: true, returns: "none" });
      const plan = await explain(executor, selectRows(table, query, "").statement);
      expect(plan).toContain(`parcels:${index} ${sqlite}`);
      expect(plan).not.toContain("SCAN parcels");
      if (!plan.includes("_page")) expect(plan).not.toContain("TEMP B-TREE");
    }
  });

  test("finds a page by keyset of rows that it numbers by its index, also behind rows that tie", async () => {
    const numbered: CollectionModel = {
      ...model,
      name: "numbered",
      idFrom: "store",
      columns: model.columns.map((column) => (column.name === "id" ? { name: "id", kind: "int" } : column)),
    };
    await sqlStorage(executor).migrate?.([numbered]);
    const query: Query = { filter: after(["rank"], "asc", 7, 5), sort: sorted(["rank"], "asc"), limit: 20 };
    const plan = await explain(executor, selectRows(compileTable(numbered, dialects.sqlite), query, "").statement);
    expect(plan).toContain("numbered:order:rank (_tenant=? AND rank=? AND rowid>?)");
    expect(plan).toContain("numbered:order:rank (_tenant=? AND rank>?)");
  });

  test("finds groups by the index on their key, and their rows by their places", async () => {
    const plan = await explain(executor, selectGroups(table, groups, "")?.statement ?? { text: "", values: [], writes: false, returns: "many" });
    expect(plan).toContain("parcels:order:owner (_tenant=? AND owner=?)");
    expect(plan).toContain("INTEGER PRIMARY KEY (rowid=?)");
  });
});

describe("PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  const table = compileTable(model, dialects.postgres);
  let executor = postgresExecutor({ connectionString: "" });
  beforeAll(async () => {
    const connectionString = await schema.create();
    const storage = postgresStorage({ connectionString });
    await storage.migrate?.([model]);
    await storage.collection(model).insertMany?.(parcels, {});
    await storage.close?.();
    executor = postgresExecutor({ connectionString });
    await executor.query({ text: "vacuum analyze parcels", values: [], writes: true, returns: "none" });
  });
  afterAll(async () => {
    await executor.close?.();
    await schema.drop();
  });

  test.each(cases)("finds $name by its index", async ({ query, index, postgres }) => {
    const plan = await explain(executor, selectRows(table, query, "").statement);
    expect(plan).toContain(`"parcels:${index}"`);
    expect(plan).toMatch(postgres);
    expect(plan).not.toContain("Seq Scan");
    if (!plan.includes("_range") && query.sort.length > 0) expect(plan).not.toContain("Sort");
  });

  test("finds arrays that contain a value by an index that looks into them", async () => {
    const query: Query = { filter: { op: "contains", path: ["tags"], value: "t7" }, sort: [], limit: 20 };
    expect(await explain(executor, selectRows(table, query, "").statement)).toContain(`Bitmap Index Scan on "parcels:contains:tags"`);
  });

  test("finds groups by the index on their key, and reads no more of one than the limit", async () => {
    const plan = await explain(executor, selectGroups(table, groups, "")?.statement ?? { text: "", values: [], writes: false, returns: "many" });
    expect(plan).toMatch(/Limit\s+->\s+Index Scan using "parcels:order:owner"/);
    expect(plan).toMatch(/Index Cond: .*owner = /);
  });
});
