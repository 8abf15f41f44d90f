import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines, notes } from "./engines.js";

const declaration = (type: string) => `create table notes (id integer primary key, org ${type}, text varchar(20) not null)`;

describeEngines("tenants of a table of a developer", (open) => {
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
});
