import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines, notes } from "./engines.js";

const declaration = (type: string, id = "") => `create table notes (id integer primary key ${id}, org ${type}, text varchar(20) not null)`;

describeEngines("tenants of a table of a developer", (open, engine) => {
  test("are stamped, seen by themselves only, and not shown", async () => {
    const { send, run } = await open(notes({ tenant: { column: "org" } }, { id: z.int(), text: z.string() }, {}), declaration("text"));
    for (const tenant of ["a", "b", undefined])
      expect((await send("POST", "/notes", { id: `${tenant}`.length + 1, text: `of ${tenant}` }, tenant)).status).toBe(tenant === "b" ? 422 : 201);
    expect((await send("POST", "/notes", { id: 3, text: "of b" }, "b")).status).toBe(201);
    expect(await run("select id, org from notes order by id")).toEqual([
      { id: 2, org: "a" },
      { id: 3, org: "b" },
      { id: 10, org: null },
    ]);
    for (const [tenant, id] of [
      ["a", 2],
      ["b", 3],
      [undefined, 10],
    ] as const) {
      const { body } = await send("GET", "/notes?count=exact", undefined, tenant);
      expect([body.data, body.meta.total]).toEqual([[{ id, text: `of ${tenant}` }], 1]);
      expect((await send("GET", `/notes/${id}`, undefined, tenant)).body).toEqual({ id, text: `of ${tenant}` });
    }
    expect((await send("PATCH", "/notes/3", { text: "mine" }, "a")).status).toBe(404);
    expect((await send("DELETE", "/notes/3", undefined, undefined)).status).toBe(404);
    expect((await send("DELETE", "/notes?text=of b&confirm=true", undefined, "a")).status).toBe(200);
    expect(await run("select count(*) as n from notes")).toEqual([{ n: 3 }]);
  });

  test("are shown by a read-only field, and never change", async () => {
    const shape = { id: z.int(), text: z.string(), org: z.string().nullable().optional() };
    const resource = notes({ tenant: { column: "org" } }, shape, { readOnly: ["org"] });
    const { send, run } = await open(resource, declaration("text"));
    expect((await send("POST", "/notes", { id: 1, text: "x" }, "a")).body).toEqual({ id: 1, text: "x", org: "a" });
    for (const [method, path, body] of [
      ["POST", "/notes", { id: 2, text: "y", org: "b" }],
      ["PATCH", "/notes/1", { org: "b" }],
      ["PUT", "/notes/1", { text: "y", org: "b" }],
    ] as const) {
      await send(method, path, body, "a");
      expect(await run("select distinct org from notes")).toEqual([{ org: "a" }]);
    }
    expect((await send("PUT", "/notes/1", { text: "z" }, "a")).body).toEqual({ id: 1, text: "z", org: "a" });
    expect((await send("GET", "/notes?org=b", undefined, "a")).body.data).toEqual([]);
  });

  test("fill a required field that code makes", async () => {
    const shape = { id: z.int(), text: z.string(), org: z.string() };
    const { send, run } = await open(notes({ tenant: { column: "org" } }, shape, { generated: { org: "code" } }), declaration("text"));
    expect((await send("POST", "/notes", { id: 1, text: "x" }, "a")).body).toEqual({ id: 1, text: "x", org: "a" });
    expect((await send("PUT", "/notes/1", { text: "y" }, "a")).body).toEqual({ id: 1, text: "y", org: "a" });
    expect((await send("POST", "/notes", { id: 2, text: "x", org: "b" }, "a")).status).toBe(422);
    expect(await run("select id, org from notes")).toEqual([{ id: 1, org: "a" }]);
  });

  test("leave a column that code makes and nothing fills a fault, without a row", async () => {
    const { send, run } = await open(notes({}, { id: z.int(), text: z.string() }, { generated: { text: "code" } }), declaration("text"));
    expect((await send("POST", "/notes", { id: 1 })).status).toBe(500);
    expect(await run("select count(*) as n from notes")).toEqual([{ n: 0 }]);
  });

  test("of a field that clients may write cannot start", async () => {
    const resource = notes({ tenant: { column: "org" } }, { id: z.int(), text: z.string(), org: z.string().nullable() }, {});
    await expect(open(resource, declaration("text"))).rejects.toThrow('list it in "readOnly"');
  });

  test("that are no values of the column have no rows, and a create is 403", async () => {
    const { send, run } = await open(notes({ tenant: { column: "org" } }, { id: z.int(), text: z.string() }, {}), declaration("bigint"));
    expect((await send("POST", "/notes", { id: 1, text: "x" }, "7")).status).toBe(201);
    expect(await run("select cast(org as int) as org from notes")).toEqual([{ org: 7 }]);
    for (const tenant of ["seven", "07", "9223372036854775808", "7.0"]) {
      expect((await send("GET", "/notes", undefined, tenant)).body.data).toEqual([]);
      expect([tenant, (await send("POST", "/notes", { id: 2, text: "y" }, tenant)).status]).toEqual([tenant, 403]);
      expect([tenant, (await send("POST", "/notes/batch", { items: [{ id: 2, text: "y" }] }, tenant)).text]).toEqual([
        tenant,
        expect.stringContaining("OUT_OF_SCOPE"),
      ]);
    }
    expect(await run("select count(*) as n from notes")).toEqual([{ n: 1 }]);
  });

  test("share the rows of a table that is shared, whoever wrote them", async () => {
    const { send, run } = await open(notes({ tenant: "shared" }, { id: z.int(), text: z.string() }, {}), declaration("text"));
    expect((await send("POST", "/notes", { id: 1, text: "x" }, "a")).status).toBe(201);
    for (const tenant of ["a", "b", undefined]) expect((await send("GET", "/notes", undefined, tenant)).body.data).toHaveLength(1);
    expect((await send("PATCH", "/notes/1", { text: "y" }, "b")).status).toBe(200);
    expect(await run("select id, text from notes")).toEqual([{ id: 1, text: "y" }]);
  });

  test("have keys of their own in a table that is shared", async () => {
    const { send, run } = await open(
      notes({ tenant: "shared" }, { id: z.int(), text: z.string() }, { generated: { id: "database" } }),
      declaration("text", engine === "postgres" ? "generated by default as identity" : ""),
    );
    const create = (tenant: string | undefined) =>
      send("POST", "/notes", { text: "x" }, tenant, { "idempotency-key": "1f3870be274f6c49b3e31a0c6728957f" });
    const made = [await create("a"), await create("b"), await create(undefined)];
    expect(made.map(({ status, body }) => [status, body.id])).toEqual([1, 2, 3].map((id) => [201, id]));
    for (const [index, tenant] of ["a", "b", undefined].entries()) expect((await create(tenant)).body).toEqual(made[index]?.body);
    expect(await run("select count(*) as n from notes")).toEqual([{ n: 3 }]);
  });

  test("that share a table reach no deleted row and none out of scope by calls from code", async () => {
    const shape = { id: z.int(), text: z.string(), owner: z.string() };
    const instant = engine === "postgres" ? "timestamptz" : "datetime";
    const resource = notes({ tenant: "shared", softDelete: { column: "deleted_at" } }, shape, {
      scope: ({ principal }: { principal: { id: string } }) => ({ owner: principal.id }),
    });
    const create = `create table notes (id integer primary key, text varchar(20) not null, owner varchar(20) not null, deleted_at ${instant})`;
    const rows = `(1, 'kept', 'ann', null), (2, 'deleted', 'ann', '2026-01-31 12:00:00Z'), (3, 'of bob', 'bob', null), (4, 'both', 'bob', '2026-01-31 12:00:00Z')`;
    const { as, run } = await open(resource, create, `insert into notes (id, text, owner, deleted_at) values ${rows}`);
    const { notes: calls } = as({ id: "ann", tenant: "a" }) as unknown as { readonly notes: NoteCalls };
    const hidden = () => run("select id, text, owner, deleted_at is null as kept from notes where id > 1 order by id");
    const before = await hidden();
    expect((await calls.list()).data).toEqual([{ id: 1, text: "kept", owner: "ann" }]);
    expect(await calls.count()).toBe(1);
    for await (const row of calls.walk()) expect(row).toEqual({ id: 1, text: "kept", owner: "ann" });
    for (const id of [2, 3, 4]) {
      const missing = { code: "NOT_FOUND" };
      await expect(calls.get(id)).rejects.toMatchObject(missing);
      await expect(calls.update(id, { text: "new" })).rejects.toMatchObject(missing);
      await expect(calls.remove(id)).rejects.toMatchObject(missing);
      await expect(calls.create({ id, text: "new", owner: "ann" })).rejects.toMatchObject({ status: 422 });
    }
    await expect(calls.create({ id: 5, text: "new", owner: "bob" })).rejects.toMatchObject({ code: "OUT_OF_SCOPE" });
    expect(await hidden()).toEqual(before);
    await calls.remove(1);
    expect(await calls.count()).toBe(0);
  });
});

/** What these tests call of a collection whose type is not known. */
interface NoteCalls {
  list(): Promise<{ readonly data: readonly unknown[] }>;
  count(): Promise<number>;
  walk(): AsyncIterable<unknown>;
  get(id: number): Promise<unknown>;
  update(id: number, changes: object): Promise<unknown>;
  remove(id: number): Promise<unknown>;
  create(row: object): Promise<unknown>;
}
