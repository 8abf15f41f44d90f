import { postgresStorage } from "restwright/postgres";
import { describe, expect, test } from "vitest";
import { needs } from "../../../../tools/engines.js";
import { check, type Database, developersDatabases } from "../database.js";
import { resourcesOf, serve } from "./introspected.js";
import { introspect } from "./introspectedPostgres.js";

const databaseWith = developersDatabases();

/** Adds tables of another server, which is this one. @returns whether `foreignTables.sql` was run in the database, as `.ci/postgres.sh` does */
async function addForeignTables({ sql, schema }: Database): Promise<boolean> {
  const [found] = await sql("select 1 from pg_foreign_server where srvname = 'restwright_here'");
  if (found === undefined) return false;
  const columns = "total numeric(10,2) not null, note text, at timestamptz not null, tags text[] not null, data jsonb";
  const place = `server restwright_here options (schema_name '${schema}', table_name 'own_orders')`;
  await sql(
    `create foreign table orders (id bigint not null, ${columns}) ${place}; create foreign table nullable_orders (id bigint, ${columns}) ${place}`,
  );
  return true;
}

describe("a foreign table of PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  test("starts as it was introspected, also if its columns do not say what its server knows, and is read", async (context) => {
    const database = await databaseWith(`
      create table own_orders (id bigint primary key, total numeric(10,2) not null, note text, at timestamptz not null, tags text[] not null, data jsonb);
      insert into own_orders values (1, 12.5, 'gift', '2026-01-31T12:00:00Z', '{a}', '{"x":1}'), (2, 1, null, '2026-02-01T12:00:00Z', '{}', null);
    `);
    if (!(await addForeignTables(database))) return context.skip("the database was not prepared");
    const resources = (await resourcesOf(await introspect(database))).filter(({ name }) => name !== "ownOrders");
    expect(resources.map(({ name }) => name)).toEqual(["nullableOrders", "orders"]);
    const { differences, warnings } = await check(database, resources);
    expect(differences).toEqual([]);
    expect(warnings).toEqual(["nullableOrders", "orders"].map((name) => expect.stringContaining(`${name}: nothing says that the id "id" is unique`)));
    const request = await serve(postgresStorage({ connectionString: database.connectionString }), resources);
    for (const { name } of resources) {
      const listed = await (await request(`/${name}?total[gte]=5&tags[in]=a&sort=-at`)).json();
      expect(listed).toMatchObject({ data: [{ id: "1", total: "12.50", note: "gift", tags: ["a"], data: { x: 1 } }] });
      expect(await (await request(`/${name}/2`)).json()).toMatchObject({ total: "1.00", at: "2026-02-01T12:00:00.000Z" });
      expect((await request(`/${name}/2`, { method: "DELETE" })).status).toBe(405);
    }
  });
});
