// @long

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, test } from "vitest";
import { loadSqliteDriver } from "../../../../../adapters/stores/sql/engine/sqlite/sqliteDriver.js";
import { temporaryFolder } from "../../../../tools/temporary.js";
import { run } from "../../../cli/stage.js";
import { expectCompiles, formatted, pathOf, resourcesOf, serve } from "./introspected.js";

const fixtures = ["prisma", "prisma-epoch", "drizzle", "rails", "django"];

/** A file as a tool left it. @param name a tool, and what its file differs in, such as `prisma-epoch` */
function fixture(name: string): string {
  const [tool, ...kind] = name.split("-");
  const file = join(temporaryFolder(), "app.db");
  const connection = loadSqliteDriver().open(file);
  connection.execute(readFileSync(fileURLToPath(new URL(`fixtures/${tool}/${["sqlite", ...kind].join("-")}.sql`, import.meta.url)), "utf8"));
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

/** The forms of the instants in the columns of a file: `integer`, or texts with `9` for the digits. Fractions differ in length, and zones in how they say UTC. */
function instantForms(file: string): unknown {
  const connection = loadSqliteDriver().open(file);
  const columns = connection.all(
    `select t.name as "table", c.name as "column" from pragma_table_list t, pragma_table_info(t.name) c
    where t.name not like '%restwright%' and c.type like 'datetime%' order by 1, 2`,
    [],
    false,
  );
  const forms = columns.map(({ table, column }) => {
    const text = `select distinct typeof("${String(column)}") as type, "${String(column)}" as value from "${String(table)}" where "${String(column)}" is not null`;
    const found = connection
      .all(text, [], true)
      .map(({ type, value }) => (type === "text" ? String(value).replaceAll(/\d/g, "9").replace(/\.9+/, ".9").replace("+99:99", "Z") : String(type)));
    return { table, column, forms: [...new Set(found)] };
  });
  connection.close();
  return forms;
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
      if (resource.idNames.length === 0) continue;
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

  test.each(fixtures)("prints collections of %s that find rows by their instants, and write instants in the form of the tool", async (name) => {
    const file = fixture(name);
    const resources = await resourcesOf(await introspect(file));
    const before = instantForms(file);
    const request = await serve(sqliteStorage({ path: file }), resources);
    let found = 0;
    let written = 0;
    for (const resource of resources) {
      const times = [...resource.fields.values()].filter(({ kind }) => kind === "datetime");
      const { data } = (await (await request(`/${resource.name}`)).json()) as { readonly data: readonly Readonly<Record<string, unknown>>[] };
      for (const row of data) {
        for (const { name: field } of times) {
          const { [field]: value } = row;
          if (typeof value !== "string") continue;
          const answer = await request(`/${resource.name}?${field}[gte]=${value}&${field}[lte]=${value}&sort=-${field}`);
          expect(((await answer.json()) as { readonly data: unknown }).data, `${resource.name} ${field} ${value}`).toContainEqual(row);
          found++;
        }
        if (resource.idNames.length === 0) continue;
        const changed = times.find(({ name: field, generator }) => generator === undefined && typeof row[field] === "string")?.name;
        if (changed === undefined) continue;
        const headers = { "content-type": "application/json", "if-match": (await request(pathOf(resource, row))).headers.get("etag") ?? "" };
        const body = JSON.stringify({ [changed]: "2026-05-06T07:08:09.123Z" });
        const answer = await request(pathOf(resource, row), { method: "PATCH", headers, body });
        expect(answer.status, `${resource.name} ${await answer.clone().text()}`).toBe(200);
        expect(await answer.json()).toMatchObject({ [changed]: "2026-05-06T07:08:09.123Z" });
        written++;
      }
    }
    // Drizzle declares instants as integers.
    if (name !== "drizzle") expect([found > 3, written > 0]).toEqual([true, true]);
    expect(instantForms(file)).toEqual(before);
  });

  test.each([
    ["prisma", "/user", { email: "new@example.com" }],
    ["prisma-epoch", "/user", { email: "new@example.com" }],
    ["rails", "/users", { email: "new@example.com" }],
    ["django", "/shopBook", { isbn: "9780000000003", title: "New", genre: "facts", price: 1.5, pages: 1, extra: "{}" }],
  ])("prints collections of %s that create rows with instants in the form of the tool", async (name, path, row) => {
    const file = fixture(name);
    const resources = await resourcesOf(await introspect(file));
    const before = instantForms(file);
    const request = await serve(sqliteStorage({ path: file }), resources);
    const created = await request(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(row) });
    expect(created.status, await created.clone().text()).toBe(201);
    expect(await (await request(created.headers.get("location") ?? "")).json()).toEqual(await created.json());
    expect(instantForms(file)).toEqual(before);
  });

  test("says which columns hold instants as numbers, and which hold both", async () => {
    const file = fixture("prisma-epoch");
    const connection = loadSqliteDriver().open(file);
    connection.execute(
      `create table visits (id integer primary key, at datetime, seen datetime, left_at timestamp, empty datetime default current_timestamp);
      insert into visits values (1, 1769860800, 1769860800000, 1769860800000, null), (2, null, 5, '2026-01-31T12:00:00Z', null)`,
    );
    connection.close();
    const program = await introspect(file, "--table", "visits");
    expect(program).toContain('at: { name: "at", as: "epoch-s" }');
    expect(program).toContain('seen: { name: "seen", as: "epoch-ms" }');
    expect(program).toContain('leftAt: { name: "left_at", as: "mixed", write: "epoch-ms" }');
    expect(program).toContain('generated: { id: "database", empty: "database" }');
    const request = await serve(sqliteStorage({ path: file }), await resourcesOf(program));
    expect(await (await request("/visits/1")).json()).toMatchObject({ leftAt: "2026-01-31T12:00:00.000Z" });
    expect(await (await request("/visits/2")).json()).toMatchObject({
      at: null,
      seen: "1970-01-01T00:00:00.005Z",
      leftAt: "2026-01-31T12:00:00.000Z",
    });
  });

  test("takes over keys, defaults and deletions", async () => {
    const drizzle = await introspect(fixture("drizzle"));
    expect(drizzle).toContain('role: z.string().default("member")');
    expect(drizzle).toContain("isActive: z.int().default(1)");
    expect(drizzle).toContain('unique: [["authorId", "slug"], "slug"]');
    expect(drizzle).toContain('belongsTo("users", "authorId", { onDelete: "cascade" })');
    expect(drizzle).toContain('parent: belongsTo("posts", "parentId")');
    expect(drizzle).toContain('// "__drizzle_migrations" is left out: it belongs to a tool for migrations.');
    const rails = await introspect(fixture("rails"), "--table", "users");
    expect(rails).toContain("admin: z.boolean().default(false)");
    expect(rails).toContain('version: { column: "lock_version" }');
    expect(rails).toContain("email: z.string().max(120)");
    expect(rails).not.toContain("orders");
    const django = await introspect(fixture("django"));
    expect(django).toContain('relations: { book: belongsTo("shopBook", "bookId"), author: belongsTo("shopAuthor", "authorId") }');
    expect(django).toContain("volume: z.bigint().nullable()");
  });

  test("takes a key of several columns as a composite id", async () => {
    const file = fixture("rails");
    const connection = loadSqliteDriver().open(file);
    connection.execute(
      "create unique index categories_users_key on categories_users (category_id, user_id); insert into categories_users values (2, 2)",
    );
    connection.close();
    const program = await introspect(file, "--table", "categories_users");
    expect(program).toContain('id: ["categoryId", "userId"]');
    expect(program).not.toContain("unique:");
    const request = await serve(sqliteStorage({ path: file }), await resourcesOf(program));
    expect(await (await request("/categoriesUsers/2,2")).json()).toEqual({ categoryId: 2, userId: 2 });
  });

  test("lists a table without a key", async () => {
    const file = fixture("rails");
    const connection = loadSqliteDriver().open(file);
    connection.execute(
      "create table visits (at datetime, anything, category_id integer references categories (id)); insert into visits values (null, 1, 2), (null, null, 2)",
    );
    connection.close();
    const program = await introspect(file, "--table", "categories", "--table", "visits");
    expect(program).toMatch(/\/\/ There are lists only: .*\n +id: false,/);
    expect(program).toContain('// "anything" is left out: it is declared without a type.');
    expect(program).toContain('belongsTo("categories", "categoryId", { enforce: false })');
    expect(program).toContain("readOnly: true");
    const request = await serve(sqliteStorage({ path: file }), await resourcesOf(program));
    expect(await (await request("/visits")).json()).toMatchObject({
      data: [
        { at: null, categoryId: 2 },
        { at: null, categoryId: 2 },
      ],
    });
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

  test("prints a primary key as the id, also one that is not declared as not null", async () => {
    const file = fixture("rails");
    const connection = loadSqliteDriver().open(file);
    connection.execute("create table codes (code text primary key, n int); create table cells (x int, y int, n int, primary key (x, y))");
    connection.close();
    const program = await introspect(file, "--table", "codes", "--table", "cells");
    expect(program).toContain("code: z.string(), n: z.int().nullable()");
    expect(program).toContain('id: ["x", "y"]');
    const request = await serve(sqliteStorage({ path: file }), await resourcesOf(program));
    expect((await request("/codes")).status).toBe(200);
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
