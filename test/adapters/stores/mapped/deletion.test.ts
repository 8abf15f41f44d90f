import type { Authorize, Resource } from "restwright";
import { sqliteStorage } from "restwright/sqlite";
import { testService } from "restwright/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Call } from "../../../../src/ground/storage/collection.js";
import { complete } from "../../../../src/ground/storage/completed/complete.js";
import { describeEngines, notes } from "./engines.js";

const shape = { id: z.int(), slug: z.string() };
const kinds = {
  "an instant": { type: { sqlite: "datetime", postgres: "timestamptz" }, table: { softDelete: { column: "gone" } } },
  "a boolean": {
    type: { sqlite: "boolean not null default 0", postgres: "boolean not null default false" },
    table: { softDelete: { column: "gone" } },
  },
  "a number that is said to be an instant": {
    type: { sqlite: "integer", postgres: "timestamptz" },
    table: { sqlite: { softDelete: { column: "gone", as: "epoch-ms" } }, postgres: { softDelete: { column: "gone" } } },
  },
} as const;

describeEngines("deletion in a table of a developer", (open, engine) => {
  const declaration = (type: string) => `create table notes (id integer primary key, slug varchar(20) not null, gone ${type})`;
  const byType = { sqlite: "datetime", postgres: "timestamptz" }[engine];
  const index = "create unique index slugs on notes (slug) where gone is null";
  const softly = (): Resource => notes({ softDelete: { column: "gone" } }, shape, { unique: ["slug"] });

  test.each(Object.entries(kinds))("marks the row by %s, which then is missing", async (_, { type, table }) => {
    const { send, run } = await open(notes("softDelete" in table ? table : table[engine], shape), declaration(type[engine]));
    for (const id of [1, 2]) await send("POST", "/notes", { id, slug: `s${id}` });
    const { etag } = await send("GET", "/notes/1");
    await send("PATCH", "/notes/1", { slug: "other" });
    expect((await send("DELETE", "/notes/1", undefined, undefined, { "if-match": etag })).status).toBe(412);
    expect((await send("DELETE", "/notes/1")).status).toBe(204);
    expect((await send("DELETE", "/notes/1")).status).toBe(404);
    expect((await send("GET", "/notes/1")).status).toBe(404);
    expect((await send("PATCH", "/notes/1", { slug: "x" })).status).toBe(404);
    expect(await send("PUT", "/notes/1", { slug: "x" })).toMatchObject({ status: 422, body: { code: "DUPLICATE_ID" } });
    const list = await send("GET", "/notes?count=exact");
    expect([list.body.data.length, list.body.meta.total]).toEqual([1, 1]);
    expect(await run("select count(*) as n from notes")).toEqual([{ n: 2 }]);
    expect((await send("DELETE", "/notes?slug=s2&confirm=true")).status).toBe(200);
    expect((await send("GET", "/notes")).body.data).toEqual([]);
    expect(await run("select count(*) as n from notes")).toEqual([{ n: 2 }]);
  });

  test("leaves the keys of deleted rows free if their index does", async () => {
    const { send } = await open(softly(), declaration(byType), index);
    expect((await send("POST", "/notes", { id: 1, slug: "a" })).status).toBe(201);
    const taken = await send("POST", "/notes", { id: 2, slug: "a" });
    expect([taken.status, taken.body.code]).toEqual([422, "DUPLICATE_SLUG"]);
    await send("DELETE", "/notes/1");
    expect((await send("POST", "/notes", { id: 2, slug: "a" })).status).toBe(201);
  });

  test("is undone and made final by calls that ask for deleted rows", async () => {
    const resource = softly();
    const { storage, send, run } = await open(resource, declaration(byType), index);
    for (const id of [1, 2, 3]) await send("POST", "/notes", { id, slug: `s${id}` });
    for (const id of [1, 2]) await send("DELETE", `/notes/${id}`);
    const rows = complete(storage.collection(resource.model), "id");
    const only: Call = { deleted: "only" };
    const idsOf = async (call: Call) => (await rows.find({ sort: [{ path: ["id"], dir: "asc" }], limit: 9 }, call)).map(({ id }) => id);
    expect([await idsOf({}), await idsOf(only), await idsOf({ deleted: "with" })]).toEqual([[3], [1, 2], [1, 2, 3]]);
    expect([await rows.count(undefined, {}), await rows.count(undefined, only), await rows.count(undefined, { deleted: "with" })]).toEqual([1, 2, 3]);
    expect([await rows.get(1, {}), (await rows.get(1, only))?.["slug"], await rows.get(3, only)]).toEqual([undefined, "s1", undefined]);

    const stamp = { _version: "v", _updatedAt: new Date() };
    const before = await rows.get(1, only);
    expect(await rows.update(1, stamp, { ...only, ifVersion: "other" })).toMatchObject({ ok: false, why: "stale" });
    expect(await rows.update(1, stamp, { ...only, ifVersion: before?._version })).toMatchObject({ ok: true, row: { id: 1, slug: "s1" } });
    expect(await rows.update(1, stamp, only)).toEqual({ ok: false, why: "missing" });
    expect(await idsOf({})).toEqual([1, 3]);

    await send("PATCH", "/notes/3", { slug: "s2" });
    expect(await rows.update(2, stamp, only)).toEqual({ ok: false, why: "conflict", fields: ["slug"] });
    expect(await rows.remove(2, { deleted: "with" })).toMatchObject({ ok: true });
    expect(await rows.remove(3, only)).toEqual({ ok: false, why: "missing" });
    expect(await run("select id from notes order by id")).toEqual([{ id: 1 }, { id: 3 }]);
  });

  test("is seen in lists by those who may read deleted rows", async () => {
    const authorize: Authorize = ({ action }) => action !== "readDeleted" || mayRead;
    let mayRead = true;
    const { send } = await open({ resources: [softly()], authorize }, declaration(byType), index);
    for (const id of [1, 2, 3, 4]) await send("POST", "/notes", { id, slug: `s${id}` });
    for (const id of [1, 2, 3]) await send("DELETE", `/notes/${id}`);
    const list = async (query: string) => {
      const { status, body } = await send("GET", `/notes?${query}`);
      return { status, ids: body.data?.map(({ id }: { id: number }) => id), meta: body.meta, code: body.code };
    };
    expect(await list("deleted=only&count=exact")).toMatchObject({ ids: [1, 2, 3], meta: { total: 3 } });
    expect(await list("deleted=with&count=exact&sort=-id")).toMatchObject({ ids: [4, 3, 2, 1], meta: { total: 4 } });
    expect(await list("deleted=only&slug=s4")).toMatchObject({ ids: [] });
    const first = await list("deleted=only&perPage=2");
    expect(first.ids).toEqual([1, 2]);
    expect(await list(`deleted=only&perPage=2&cursor=${first.meta.nextCursor}`)).toMatchObject({ ids: [3] });
    expect(await list(`perPage=2&cursor=${first.meta.nextCursor}`)).toMatchObject({ status: 400, code: "INVALID_CURSOR" });
    expect(await list(`deleted=with&perPage=2&cursor=${first.meta.nextCursor}`)).toMatchObject({ status: 400, code: "INVALID_CURSOR" });
    for (const wrong of ["deleted=all", "deleted=", "deleted=only&deleted=with"]) expect(await list(wrong)).toMatchObject({ status: 400 });
    expect((await send("DELETE", "/notes?deleted=only&confirm=true")).status).toBe(400);
    mayRead = false;
    expect(await list("deleted=only")).toMatchObject({ status: 403, code: "FORBIDDEN" });
    expect(await list("")).toMatchObject({ status: 200, ids: [4] });
  });

  test("is undone by restore", async () => {
    const table = { softDelete: { column: "gone", restore: true } } as const;
    const resource = notes(table, shape, { unique: ["slug"] });
    const { send, run } = await open(
      { resources: [resource], authorize: ({ action }) => action !== "restore" || mayRestore },
      declaration(byType),
      index,
    );
    let mayRestore = true;
    for (const id of [1, 2]) await send("POST", "/notes", { id, slug: `s${id}` });
    expect((await send("POST", "/notes/1/restore")).status).toBe(404);
    const { etag } = await send("GET", "/notes/1");
    for (const id of [1, 2]) await send("DELETE", `/notes/${id}`);
    expect((await send("POST", "/notes/1/restore", undefined, undefined, { "if-match": etag })).status).toBe(412);
    const restored = await send("POST", "/notes/1/restore");
    expect([restored.status, restored.body]).toEqual([200, { id: 1, slug: "s1" }]);
    expect([(await send("GET", "/notes/1")).etag, restored.etag]).toEqual([restored.etag, expect.stringMatching(/./)]);
    expect((await send("POST", "/notes/1/restore")).status).toBe(404);
    await send("PATCH", "/notes/1", { slug: "s2" });
    const taken = await send("POST", "/notes/2/restore");
    expect([taken.status, taken.body.code]).toEqual([422, "DUPLICATE_SLUG"]);
    mayRestore = false;
    expect((await send("POST", "/notes/2/restore")).status).toBe(403);
    expect(await run("select id from notes where gone is null")).toEqual([{ id: 1 }]);
  });

  test("is undone by the capability actions only", () => {
    const resource = notes({ softDelete: { column: "gone", restore: true } }, shape);
    expect(() => testService({ storage: sqliteStorage({ path: ":memory:" }), resources: [resource] })).toThrow('actions() of "restwright/actions"');
  });

  test("is undone only for rows in the scope of restore", async () => {
    const table = { softDelete: { column: "gone", restore: true } } as const;
    const scope = ({ action }: { action: string }) => (action === "restore" ? { slug: "s1" } : true);
    const { send } = await open(notes(table, shape, { scope }), declaration(byType));
    for (const id of [1, 2]) {
      await send("POST", "/notes", { id, slug: `s${id}` });
      await send("DELETE", `/notes/${id}`);
    }
    expect((await send("POST", "/notes/2/restore")).status).toBe(403);
    expect((await send("POST", "/notes/1/restore")).status).toBe(200);
  });

  test("is made final by purge of the system", async () => {
    const resource = softly();
    const { service, as, send, run } = await open(resource, declaration(byType), index);
    for (const id of [1, 2, 3]) await send("POST", "/notes", { id, slug: `s${id}` });
    await send("DELETE", "/notes/1");
    const system = service.asSystem().of(resource);
    await system.purge?.(1);
    await system.purge?.(2);
    await expect(system.purge?.(1)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await run("select id from notes")).toEqual([{ id: 3 }]);
    expect(as({ id: "ann" }).of(resource)).not.toHaveProperty("purge");
  });

  test("gives no other collection a word, and takes it from no field", async () => {
    const { send } = await open(notes({}, shape), declaration(byType));
    expect((await send("GET", "/notes?deleted=only")).body.code).toBe("UNKNOWN_FIELD");
    expect(() => notes({ softDelete: { column: "gone" } }, { ...shape, deleted: z.boolean() })).toThrow('a field cannot be called "deleted"');
  });
});
