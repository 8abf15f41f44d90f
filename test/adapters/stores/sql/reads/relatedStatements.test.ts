import { postgresStorage } from "restwright/postgres";
import { sqlStorage } from "restwright/sql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dialects } from "../../../../../adapters/stores/sql/engine/engines.js";
import type { SqlExecutor, SqlStatement } from "../../../../../adapters/stores/sql/engine/executor.js";
import { postgresExecutor } from "../../../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { sqliteExecutor } from "../../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import { countRows } from "../../../../../adapters/stores/sql/query/counting.js";
import { ReadPlans } from "../../../../../adapters/stores/sql/query/longReads/readPlans.js";
import { selectRows } from "../../../../../adapters/stores/sql/query/select.js";
import { compileTable } from "../../../../../adapters/stores/sql/schema/table.js";
import type { Filter } from "../../../../../src/ground/storage/filter.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import type { Path } from "../../../../../src/ground/storage/values/scalar.js";
import { needs } from "../../../../tools/engines.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";

const modelOf = (name: string, columns: readonly string[], indexes: readonly (readonly Path[])[]): CollectionModel => ({
  name,
  id: "id",
  idFrom: "caller",
  columns: ["id", ...columns].map((column) => ({ name: column, kind: "text" })),
  unique: [],
  indexes,
  searchable: [],
});
const teams = modelOf("teams", ["lead"], []);
const projects = modelOf("projects", ["owner", "team"], [[["owner"]]]);
const tasks = modelOf("tasks", ["project", "title"], [[["project"]], [["title"]]]);
const notes = modelOf("notes", ["project", "title"], [[["title"]]]);
const models = [teams, projects, tasks, notes];

const is = (name: string, value: string): Filter => ({ op: "eq", path: [name], value });
const both = (...args: readonly Filter[]): Filter => ({ op: "and", args });
const within = (collection: CollectionModel, key: string, filter: Filter): Filter => ({ op: "related", path: [key], collection, filter });
const ofOwner = (owner: string) => within(projects, "project", is("owner", owner));
const byTitle = { sort: [{ path: ["title"], dir: "asc" }] as const, limit: 20 };
const stamp = { _version: "v", _updatedAt: new Date(0) };

/** 6,000 projects of which "ada" owns 60, and a task and a note for each. */
async function fill(storage: ReturnType<typeof sqlStorage>): Promise<void> {
  await storage.migrate?.(models);
  const numbers = Array.from({ length: 6_000 }, (_, index) => index);
  await storage.collection(teams).insertMany?.([{ id: "t0", lead: "eve", ...stamp }], {});
  const projectRows = numbers.map((index) => ({ id: `p${index}`, owner: index % 100 === 0 ? "ada" : "bo", team: "t0", ...stamp }));
  await storage.collection(projects).insertMany?.(projectRows, {});
  for (const model of [tasks, notes]) {
    await storage.collection(model).insertMany?.(
      numbers.map((index) => ({ id: `r${index}`, project: `p${index}`, title: `title ${(index * 7919) % 6_000}`, ...stamp })),
      {},
    );
  }
}

async function explain(executor: SqlExecutor, statement: SqlStatement): Promise<string> {
  const prefix = executor.dialect === "sqlite" ? "explain query plan" : "explain (costs off)";
  const { rows } = await executor.query({ ...statement, text: `${prefix} ${statement.text}`, returns: "many", bigints: false });
  return rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])).join("\n");
}

describe("on SQLite a condition on related rows", () => {
  const executor = sqliteExecutor({ path: ":memory:" });
  const storage = sqlStorage(executor);
  const table = compileTable(tasks, dialects.sqlite);
  const withoutIndex = compileTable(notes, dialects.sqlite);
  beforeAll(() => fill(storage));
  afterAll(() => storage.close?.());

  test("selects the ids of the related rows, and names their table by an alias", () => {
    const { text, values } = countRows(table, within(projects, "project", within(teams, "team", is("lead", "eve"))), "acme", { max: undefined });
    expect(text).toBe(
      'select count(*) as "count" from "tasks" where "_tenant" = ? and "tasks"."project" in ' +
        '(select "_restwright_related1"."id" from "projects" as "_restwright_related1" where "_restwright_related1"."_tenant" = ? and "_restwright_related1"."team" in ' +
        '(select "_restwright_related2"."id" from "teams" as "_restwright_related2" where "_restwright_related2"."_tenant" = ? and "lead" = ?))',
    );
    expect(values).toEqual(["acme", "acme", "acme", "eve"]);
  });

  test("searches the index on the foreign key for them", async () => {
    const plan = await explain(executor, countRows(table, ofOwner("ada"), "", { max: undefined }));
    expect(plan).toContain("tasks:order:project (_tenant=? AND project=?)");
    expect(plan).toContain("projects:order:owner (_tenant=? AND owner=?)");
    expect(plan).not.toContain("SCAN");
  });

  test("reads the rows of the tenant in order if the foreign key has no index", async () => {
    const plan = await explain(executor, selectRows(withoutIndex, { filter: ofOwner("ada"), ...byTitle }, "").statement);
    expect(plan).toContain("notes:order:title (_tenant=?)");
    expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
  });

  test.each<[name: string, known: Filter]>([
    ["an id", is("id", "r7")],
    ["ids", { op: "in", path: ["id"], values: ["r7", "r8"] }],
    ["a foreign key", is("project", "p7")],
  ])("beside %s looks up one related row by its id", async (_, known) => {
    const plan = await explain(executor, selectRows(table, { filter: both(known, ofOwner("bo")), sort: [], limit: 20 }, "").statement);
    // Newer SQLite joins the related row, and finds it in the index that has its owner too.
    expect(plan).toMatch(/SEARCH _restwright_related1 (?:EXISTS )?USING .*\(_tenant=\? AND (?:owner=\? AND )?id=\?\)/);
    expect(plan).not.toContain("LIST SUBQUERY");
  });

  test.each<[name: string, filter: Filter, isLong: boolean]>([
    ["few related rows by an index", ofOwner("ada"), false],
    ["few related rows of few", within(projects, "project", both(is("owner", "ada"), within(teams, "team", is("lead", "eve")))), false],
    ["many related rows by an index", ofOwner("bo"), true],
    ["related rows without an index", within(projects, "project", is("team", "t0")), true],
    ["many related rows of few", within(projects, "project", within(teams, "team", is("lead", "eve"))), true],
    ["texts of related rows", within(projects, "project", { op: "like", path: ["owner"], parts: [{ any: "many" }, "d", { any: "many" }] }), true],
    ["many related rows beside an id", both(is("id", "r7"), ofOwner("bo")), false],
    ["related rows that are left out", { op: "not", arg: ofOwner("ada") }, true],
  ])("that reads %s is read in one step or in slices", async (_, filter, isLong) => {
    const plans = new ReadPlans(executor, table);
    expect(await plans.isLongCount(countRows(table, filter, "", { max: 10_001 }), filter, 10_001, "")).toBe(isLong);
    const query = { filter, sort: [], limit: 20 };
    expect(await plans.isLong(selectRows(table, query, "").statement, query, "")).toBe(isLong);
  });

  test("gives the same rows in one step and in slices", async () => {
    for (const [filter, count] of [
      [ofOwner("ada"), 60],
      [ofOwner("bo"), 5_940],
      [{ op: "not", arg: ofOwner("bo") }, 60],
    ] as const) {
      for (const model of [tasks, notes]) {
        const found = await storage.collection(model).find({ filter, ...byTitle, limit: 10_000 }, {});
        expect(found).toHaveLength(count);
        expect(found.map(({ title }) => title)).toEqual(found.map(({ title }) => String(title)).toSorted());
        expect(await storage.collection(model).count?.(filter, {})).toBe(count);
      }
    }
  });
});

describe("on PostgreSQL (set POSTGRES_URL to run) a condition on related rows", needs("postgres"), () => {
  const schema = ownSchema();
  let executor = postgresExecutor({ connectionString: "" });
  beforeAll(async () => {
    const connectionString = await schema.create();
    const storage = postgresStorage({ connectionString });
    await fill(storage);
    await storage.close?.();
    executor = postgresExecutor({ connectionString });
    for (const { name } of models) await executor.query({ text: `vacuum analyze ${name}`, values: [], writes: true, returns: "none" });
  });
  afterAll(async () => {
    await executor.close?.();
    await schema.drop();
  });
  const planOf = (model: CollectionModel, filter: Filter) =>
    explain(executor, selectRows(compileTable(model, dialects.postgres), { filter, ...byTitle }, "").statement);

  test("searches the index on the foreign key for few of them, and reads the order for many", async () => {
    const few = await planOf(tasks, both(ofOwner("ada"), within(projects, "project", is("id", "p100"))));
    expect(few).toContain(`"tasks:order:project"`);
    expect(few).not.toMatch(/Seq Scan on tasks/);
    expect(await planOf(tasks, ofOwner("bo"))).toContain(`"tasks:order:title"`);
  });

  test("joins the related rows, also without an index on the foreign key", async () => {
    for (const model of [tasks, notes]) {
      for (const owner of ["ada", "bo"]) {
        const plan = await planOf(model, ofOwner(owner));
        expect(plan).toMatch(/Semi Join|Nested Loop|Hash Join/);
        expect(plan).not.toContain("SubPlan");
      }
    }
  });

  test("beside an id looks up one related row by its id", async () => {
    const plan = await planOf(tasks, both(is("id", "r7"), ofOwner("bo")));
    expect(plan).toContain("tasks_pkey");
    expect(plan).toContain("id = tasks.project");
  });
});
