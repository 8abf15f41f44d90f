import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { belongsTo, defineResource, hasMany, type Resource } from "restwright";
import { actions } from "restwright/actions";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { sqliteStorage } from "restwright/sqlite";
import { testService } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { TableOptions } from "../../../../../src/ground/storage/tableOptions.js";
import { programFolder } from "../../../../tools/programFolder.js";
import { run } from "../../../cli/stage.js";
import { describeEngines } from "../engines.js";

const schema = z.object({ at: z.int(), path: z.string(), userId: z.int().nullable() });
const table: TableOptions = { name: "page_views", managed: false, casing: "snake_case", tenant: "shared", readOnly: true };
const columns = "at integer not null, path text not null, user_id integer";

function views(options: Readonly<Record<string, unknown>> = {}, mapping: Partial<TableOptions> = {}): Resource {
  return defineResource("views", { schema, id: false, ...options, table: { ...table, ...mapping } });
}

/** Three rows of each kind, equal in all columns. */
const equalRows = (count: number) => `insert into page_views (at, path, user_id)
  with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
  select n / 3, '/page/' || (n / 3), case when n / 3 % 2 = 0 then n / 3 end from numbers`;

interface View {
  readonly at: number;
}

/** All rows of a list by its cursors, and those of the way back. */
async function walk(send: (method: string, path: string) => Promise<{ readonly status: number; readonly body: ListBody }>, query: string) {
  const there: View[] = [];
  const back: View[] = [];
  let answer = await send("GET", `/views?${query}`);
  for (;;) {
    expect(answer.status).toBe(200);
    there.push(...answer.body.data);
    const { nextCursor } = answer.body.meta;
    if (nextCursor === null) break;
    answer = await send("GET", `/views?${query}&cursor=${encodeURIComponent(nextCursor)}`);
  }
  for (;;) {
    back.unshift(...answer.body.data);
    const { prevCursor } = answer.body.meta;
    if (prevCursor === null) break;
    answer = await send("GET", `/views?${query}&cursor=${encodeURIComponent(prevCursor)}`);
  }
  return { there, back };
}

interface ListBody {
  readonly data: readonly View[];
  readonly meta: { readonly nextCursor: string | null; readonly prevCursor: string | null };
}

describeEngines("a table without a unique key", (open, engine) => {
  const create = `create table page_views (${columns})`;

  test("is a list, and has no rows with addresses", async () => {
    const { send } = await open(views(), create, equalRows(6));
    const list = await send("GET", "/views?perPage=2&sort=-at");
    expect(list).toMatchObject({ status: 200, body: { data: [{ at: 2, path: "/page/2", userId: 2 }, { at: 1 }] } });
    expect(list.text).not.toContain("_id");
    expect(await send("GET", "/views?_id=1")).toMatchObject({ status: 400 });
    expect(await send("GET", "/views?sort=_id")).toMatchObject({ status: 400 });
    expect(await send("GET", "/views?fields=_id")).toMatchObject({ status: 400 });
    expect(await send("GET", "/views/1")).toMatchObject({ status: 405 });
    for (const method of ["PUT", "PATCH", "DELETE"]) expect(await send(method, "/views/1", {})).toMatchObject({ status: 405 });
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) expect(await send(method, "/views", {})).toMatchObject({ status: 405 });
  });

  for (const query of ["", "sort=-at", "sort=userId", "sort=-userId,path", "path[like]=/page/*&sort=-path"])
    test(`equal rows are all on the pages of "${query}", in both directions`, async () => {
      const { send } = await open(views(), create, equalRows(100));
      const { there, back } = await walk(send as never, `perPage=7&${query}`);
      expect(there).toHaveLength(100);
      expect(back).toEqual(there);
      const pages: View[] = [];
      for (let page = 1; page <= 15; page++) pages.push(...((await send("GET", `/views?perPage=7&page=${page}&${query}`)).body as ListBody).data);
      expect(pages).toEqual(there);
    });

  test("an export and a walk from code have each row once", async () => {
    const { send, service } = await open(views(), create, equalRows(2_500));
    const exported = await send("GET", "/views/export?format=csv");
    expect(exported.text.trimEnd().split("\r\n")).toHaveLength(2_501);
    const calls = (service as never as { as(who: object): Record<"views", { walk(options: object): AsyncIterable<View> }> }).as({ id: "ann" });
    let count = 0;
    for await (const view of calls.views.walk({ perPage: 100 })) count += Number(Object.keys(view).join() === "at,path,userId");
    expect(count).toBe(2_500);
  });

  test("conditions of the tenant and totals hold", async () => {
    const { send } = await open(
      views({}, { tenant: { column: "org" } }),
      `create table page_views (${columns}, org text)`,
      "insert into page_views values (1, '/a', null, 'one'), (1, '/a', null, 'one'), (2, '/b', null, 'two')",
    );
    expect(await send("GET", "/views", undefined, "one")).toMatchObject({ body: { meta: { total: 2 } } });
    expect(await send("GET", "/views?perPage=1&page=2", undefined, "one")).toMatchObject({ body: { data: [{ at: 1, path: "/a" }] } });
    expect(await send("GET", "/views", undefined, "three")).toMatchObject({ body: { data: [] } });
  });

  test("rows can name rows of others, and be theirs", async () => {
    const users = defineResource("users", {
      schema: z.object({ id: z.int(), name: z.string() }),
      relations: { views: hasMany("views", "userId") },
      table: { name: "people", managed: false, tenant: "shared", version: "hash" },
    });
    const { send } = await open(
      { resources: [views({ relations: { user: belongsTo("users", "userId", { filter: ["name"] }) } }), users], authorize: () => true },
      create,
      "create table people (id integer primary key, name text not null)",
      "insert into people values (2, 'Ann'), (4, 'Bob')",
      equalRows(14),
    );
    expect(await send("GET", "/views?sort=-at&perPage=1&include=user")).toMatchObject({ body: { data: [{ user: { name: "Bob" } }] } });
    expect(await send("GET", "/users/2?include=views")).toMatchObject({ body: { views: [{ at: 2 }, { at: 2 }, { at: 2 }] } });
    expect(await send("GET", "/users/2/views?perPage=2")).toMatchObject({ body: { data: [{ at: 2 }, { at: 2 }], meta: { total: 3 } } });
    expect(await send("GET", "/views?user.name=Ann")).toMatchObject({ status: 200, body: { meta: { total: 3 } } });
  });

  test("a view has no places, and the check says so", async () => {
    await expect(open(views({}, { name: "recent" }), create, "create view recent as select * from page_views")).rejects.toThrow(
      'nothing tells the rows of recent apart, so "id: false" is not possible',
    );
  });

  test("an update is refused, also from code", async () => {
    const { service } = await open(views(), create, equalRows(2));
    const system = (service as never as { asSystem(): Record<"views", Record<string, (...all: unknown[]) => Promise<unknown>>> }).asSystem();
    await expect(system.views["create"]?.({ at: 1, path: "/", userId: null })).rejects.toThrow("views: its table is read-only");
    await expect(system.views["get"]?.(1)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("an answer under an Idempotency-Key that shows rows is repeated", async () => {
    const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
    const { send } = await open({ resources: [views(), notes], authorize: () => true }, create, equalRows(9));
    const body = {
      operations: [
        { method: "POST", url: "/notes", body: { text: "t" } },
        { method: "GET", url: "/views?perPage=2" },
      ],
    };
    const headers = { "idempotency-key": "a-key-that-is-used-twice" };
    const first = await send("POST", "/batch", body, undefined, headers);
    expect(first).toMatchObject({ status: 200, body: { results: [{ status: 201 }, { status: 200, data: { data: [{ at: 0 }, { at: 0 }] } }] } });
    expect(first.text).not.toContain("_id");
    expect((await send("POST", "/batch", body, undefined, headers)).text).toBe(first.text);
  });

  if (engine === "postgres") {
    test("partitions and materialized views have places", async () => {
      const { send } = await open(
        views(),
        `create table page_views (${columns}) partition by hash (at)`,
        "create table views_one partition of page_views for values with (modulus 2, remainder 0)",
        "create table views_two partition of page_views for values with (modulus 2, remainder 1)",
        equalRows(100),
      );
      expect((await walk(send as never, "perPage=7&sort=path")).there).toHaveLength(100);
    });

    test("tables that inherit from it are spread too", async () => {
      const { send } = await open(
        views(),
        create,
        "create table old_views () inherits (page_views)",
        equalRows(50),
        "insert into old_views select * from page_views",
      );
      expect((await walk(send as never, "perPage=7&sort=path")).there).toHaveLength(100);
    });

    test("a materialized view is listed", async () => {
      const { send } = await open(
        views({}, { name: "recent" }),
        create,
        equalRows(10),
        "create materialized view recent as select * from page_views",
      );
      expect((await walk(send as never, "perPage=3")).there).toHaveLength(10);
    });

    test("a materialized view that was never refreshed is 503, and the log names it", async () => {
      const { send, errors, run } = await open(
        views({}, { name: "recent" }),
        create,
        "create materialized view recent as select * from page_views with no data",
      );
      expect(await send("GET", "/views")).toMatchObject({ status: 503, body: { code: "STORAGE_UNAVAILABLE" } });
      expect(String(errors)).toContain('materialized view "recent" has not been populated. Run REFRESH MATERIALIZED VIEW.');
      await run("refresh materialized view recent");
      expect((await send("GET", "/views")).status).toBe(200);
    });
  } else {
    test("a table whose columns have all names of the row id is refused", async () => {
      const mapping = { columns: { at: "rowid", path: "oid", userId: "_rowid_" } };
      const text = "create table page_views (rowid integer not null, oid text not null, _rowid_ integer)";
      await expect(open(views({}, mapping), text)).rejects.toThrow("nothing tells the rows of page_views apart");
    });

    test("long reads go in slices", async () => {
      const { send } = await open(views(), create, equalRows(30_000));
      const list = await send("GET", "/views?sort=-path&page=1400&perPage=7&count=exact");
      expect(list).toMatchObject({ status: 200, body: { meta: { total: 30_000 } } });
      expect((list.body as ListBody).data).toHaveLength(7);
    });
  }
});

describe("a definition without an id", () => {
  const writable = { ...table, readOnly: false, version: "hash" } as const;

  test.each([
    ["a table that is written", () => defineResource("views", { schema, id: false, table: writable })],
    ["no table", () => defineResource("views", { schema, id: false })],
    ["another operation", () => views({ operations: ["list", "read"] })],
  ])("cannot have %s", (_, define) => {
    expect(define).toThrow('views: "id: false" needs a read-only "table", and no operation but "list".');
  });

  test("is not one with an empty list of names", () => {
    const define = () => defineResource("views", { schema, id: [] as never, table, operations: ["list"] });
    expect(define).toThrow('defineResource("views"): "id[0]" must be a text; got undefined.');
  });

  test("cannot be what others name", () => {
    const users = defineResource("users", { schema: z.object({ id: z.int(), view: z.int() }), relations: { seen: belongsTo("views", "view") } });
    const open = () => testService({ storage: sqliteStorage({ path: ":memory:" }), resources: [users, views()] });
    expect(open).toThrow('users: the relation "seen" needs a field for each part of the id of "views": it has none; only belongsTo has several.');
  });

  test.each(["cascade", "setNull"] as const)("cannot be changed by a removal: %s", (onDelete) => {
    const define = () => views({ relations: { user: belongsTo("users", "userId", { onDelete }) } });
    expect(define).toThrow(`views: the relation "user" says "onDelete", which needs a table that is not read-only.`);
  });

  test("cannot have actions on rows", () => {
    const withAction = views({
      actions: ({ action }: never) => ({ show: (action as never as (options: object) => object)({ on: "row", run: () => ({}) }) }),
    });
    const open = () => testService({ storage: sqliteStorage({ path: ":memory:" }), resources: [withAction], use: [actions()] });
    expect(open).toThrow(/"id: false"/);
  });

  test("needs a store with tables", () => {
    expect(() => testService({ storage: memoryStorage(), resources: [views()] })).toThrow(/table/);
  });

  test("is described without an id", async () => {
    const storage = sqliteStorage({ path: ":memory:" });
    await storage.transaction?.(async (tx) => tx.sql?.(`create table page_views (${columns})`, []));
    const { fetch, close } = testService({ storage, resources: [views()], use: [openapi({ info: { title: "Views", version: "1" } })] });
    const document = (await (await fetch("/openapi.json")).json()) as { readonly paths: Readonly<Record<string, object>> };
    expect(Object.keys(document.paths).filter((path) => path.startsWith("/views"))).toEqual(["/views"]);
    expect(JSON.stringify(document)).not.toContain("_id");
    await close();
    const file = join(programFolder(), "openapi.json");
    writeFileSync(file, JSON.stringify(document));
    const { stdout, stderr } = await run(["client", file]);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/readonly id: never;\s+readonly key: false;/);
  });
});
