import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, test } from "vitest";
import { loadSqliteDriver } from "../../adapters/sql/engine/sqlite/sqliteDriver.js";
import { run } from "../cli/stage.js";
import { temporaryFolder } from "../e2e/temporary.js";
import { expectCompiles, formatted, pathOf, resourcesOf, serve } from "./introspected.js";

const fixtures = ["prisma", "drizzle", "rails", "django"];

/** A file as a tool made it. */
function fixture(name: string): string {
  const file = join(temporaryFolder(), "app.db");
  const connection = loadSqliteDriver().open(file);
  connection.execute(readFileSync(fileURLToPath(new URL(`fixtures/sqlite/${name}.sql`, import.meta.url)), "utf8"));
  connection.close();
  return file;
}

async function introspect(file: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(["introspect", file, ...args], { variables: {} });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** All rows of all tables of the developer, and the definitions of the tables. */
function contentOf(file: string): unknown {
  const connection = loadSqliteDriver().open(file);
  const tables = connection.all(
    "select name, sql from sqlite_master where name not like '%restwright%' and name not like 'sqlite%' order by name",
    [],
    false,
  );
  const rows = tables.flatMap(({ name, sql }) =>
    /^create table/i.test(String(sql)) ? [[name, connection.all(`select * from "${String(name)}"`, [], true)]] : [],
  );
  connection.close();
  return JSON.stringify({ tables, rows }, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
}

describe("restwright introspect of a SQLite file", () => {
  test("prints programs that are formatted and compile in strict mode, and leaves the file as it is", async () => {
    const programs = new Map<string, string>();
    for (const name of fixtures) {
      const file = fixture(name);
      const hash = () => createHash("sha256").update(readFileSync(file)).digest("hex");
      const before = hash();
      const program = await introspect(file);
      expect(hash()).toBe(before);
      expect(formatted(program)).toBe(program);
      programs.set(name, program);
    }
    await expectCompiles(programs);
  });

  test.each(fixtures)("prints collections of %s that start without a difference, and leave rows as they are that are sent back", async (name) => {
    const file = fixture(name);
    const resources = await resourcesOf(await introspect(file));
    const before = contentOf(file);
    const request = await serve(sqliteStorage({ path: file }), resources);
    let sent = 0;
    for (const resource of resources) {
      const answer = await request(`/${resource.name}`);
      expect(answer.status, `${resource.name} ${await answer.clone().text()}`).toBe(200);
      const { data } = (await answer.json()) as { readonly data: readonly Readonly<Record<string, unknown>>[] };
      for (const row of data) {
        const path = pathOf(resource, row);
        const read = await request(path);
        const text = await read.text();
        const headers = { "content-type": "application/json", "if-match": read.headers.get("etag") ?? "" };
        const replaced = await request(path, { method: "PUT", headers, body: text });
        expect(replaced.status, `${path} ${text} ${await replaced.clone().text()}`).toBe(200);
        sent++;
      }
    }
    expect(sent).toBeGreaterThan(3);
    expect(contentOf(file)).toBe(before);
  });

  test("takes over keys, defaults and deletions", async () => {
    const drizzle = await introspect(fixture("drizzle"));
    expect(drizzle).toContain('role: z.string().default("member")');
    expect(drizzle).toContain('belongsTo("users", "authorId", { onDelete: "cascade" })');
    expect(drizzle).toContain('// "__drizzle_migrations" is left out: it belongs to a tool for migrations.');
    const rails = await introspect(fixture("rails"), "--table", "users");
    expect(rails).toContain("active: z.boolean().default(true)");
    expect(rails).toContain('version: { column: "lock_version" }');
    expect(rails).toContain("email: z.string().max(120)");
    expect(rails).not.toContain("orders");
    expect(await introspect(fixture("django"))).toContain('relations: { author: belongsTo("shopAuthor", "authorId") }');
  });

  test("takes a key of several columns as a composite id", async () => {
    const file = fixture("rails");
    const connection = loadSqliteDriver().open(file);
    connection.execute("create unique index orders_tags_key on orders_tags (order_id, tag_id); insert into orders_tags values (1, 7), (2, 8)");
    connection.close();
    const program = await introspect(file, "--table", "orders_tags");
    expect(program).toContain('id: ["orderId", "tagId"]');
    expect(program).not.toContain("unique:");
    const request = await serve(sqliteStorage({ path: file }), await resourcesOf(program));
    expect(await (await request("/ordersTags/2,8")).json()).toEqual({ orderId: 2, tagId: 8 });
  });

  test("leaves out a unique index of bytes", async () => {
    const file = fixture("rails");
    const connection = loadSqliteDriver().open(file);
    connection.execute("create table scans (id integer primary key, content blob not null); create unique index scans_content on scans (content)");
    connection.close();
    const program = await introspect(file, "--table", "scans");
    expect(program).toContain('// The unique index "scans_content" is left out: bytes are not compared.');
    const request = await serve(sqliteStorage({ path: file }), await resourcesOf(program));
    expect((await request("/scans")).status).toBe(200);
  });

  test("prints a foreign key of several columns that names a composite id, in the order of its parts", async () => {
    const file = fixture("rails");
    const connection = loadSqliteDriver().open(file);
    connection.execute(
      `create table order_lines (order_id bigint not null, line_no integer not null, title varchar(20) not null, primary key (order_id, line_no));
      create table line_notes (id integer primary key, line_no integer, order_id bigint, foreign key (line_no, order_id) references order_lines (line_no, order_id) on delete cascade);
      create table line_tags (id integer primary key, a integer, b varchar(9), foreign key (a, b) references order_lines (line_no, title));
      insert into order_lines values (7, 2, 'two');
      insert into line_notes values (1, 2, 7), (2, null, 7)`,
    );
    connection.close();
    const program = await introspect(file, "--table", "order_lines", "--table", "line_notes", "--table", "line_tags");
    expect(program).toContain('belongsTo("orderLines", ["orderId", "lineNo"], { onDelete: "cascade" })');
    expect(program).toMatch(/The foreign key ".*" is left out: it names "line_no", "title", which are not the id of "orderLines"/);
    const request = await serve(sqliteStorage({ path: file }), await resourcesOf(program));
    expect(await (await request("/lineNotes?include=lineNoRow&sort=id")).json()).toMatchObject({
      data: [{ lineNoRow: { title: "two" } }, { lineNoRow: null }],
    });
  });

  test("refuses what is no SQLite file, and makes none", async () => {
    const file = fixture("rails");
    const missing = await run(["introspect", `${file}.missing`], { variables: {} });
    expect([missing.code, missing.stderr]).toEqual([1, `There is no file "${file}.missing".\n`]);
    const text = await run(["introspect", fileURLToPath(import.meta.url)], { variables: {} });
    expect(text.code).toBe(1);
    expect(text.stderr).toMatch(/^The database cannot be read: .*not a database/);
    const schema = await run(["introspect", file, "--schema", "main"], { variables: {} });
    expect(schema.stderr).toContain("--schema is for PostgreSQL; a SQLite file has no schemas.");
    const table = await run(["introspect", file, "--table", "nothing"], { variables: {} });
    expect(table.stderr).toBe('There is no table or view "nothing".\n');
  });
});
