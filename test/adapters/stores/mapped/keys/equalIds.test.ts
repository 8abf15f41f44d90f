import { belongsTo, defineResource } from "restwright";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines } from "../engines.js";

const table = { managed: false, version: "hash", tenant: "shared", casing: "snake_case" } as const;

function resources(id: z.ZodType) {
  const owners = defineResource("owners", { schema: z.object({ id, name: z.string() }), table: { ...table, name: "owners" } });
  const notes = defineResource("notes", {
    schema: z.object({ id: z.int(), ownerId: id }),
    relations: { owner: belongsTo("owners", "ownerId") },
    table: { ...table, name: "notes" },
  });
  return { resources: [owners, notes], authorize: () => true };
}

describeEngines("ids that their column takes for equal ones", (open, engine) => {
  const ofAnyCase = engine === "sqlite" ? "text collate nocase" : "text collate anycase";
  const collation = "create collation anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)";
  const statements = (type: string, ...ids: readonly string[]) => [
    ...(engine === "postgres" ? [collation] : []),
    `create table owners (id ${type} not null primary key, name text not null)`,
    `create table notes (id int not null primary key, owner_id ${type} not null references owners (id))`,
    `insert into owners values ${ids.map((id) => `('${id}', 'of ${id}')`).join(", ")}`,
  ];

  test("name the row of a column that ignores case in an address, and none in a batch", async () => {
    const { send, run, errors } = await open(resources(z.string()), ...statements(ofAnyCase, "ann", "bob", "cid"));
    expect((await send("GET", "/owners/ANN")).body).toEqual({ id: "ann", name: "of ann" });
    const patch = { "content-type": "application/merge-patch+json" };
    expect(await send("PATCH", "/owners/Ann", { name: "new" }, undefined, patch)).toMatchObject({ status: 200, body: { id: "ann", name: "new" } });
    expect((await send("DELETE", "/owners/ANN")).status).toBe(204);
    expect((await send("POST", "/owners/batch-delete", { ids: ["BOB", "cid"] })).body.results).toMatchObject([{ status: 404 }, { status: 204 }]);
    expect(await run("select id from owners")).toEqual([{ id: "bob" }]);
    expect(errors).toEqual([]);
  });

  if (engine === "postgres")
    test("are uuids in capitals, also where the schema takes any text", async () => {
      const id = "f0000000-0000-4000-8000-00000000000f";
      const capitals = id.toUpperCase();
      const { send, run } = await open(resources(z.string()), ...statements("uuid", id));
      expect((await send("GET", `/owners/${capitals}`)).body).toEqual({ id, name: `of ${id}` });
      expect((await send("PATCH", `/owners/${capitals}`, { name: "new" })).body).toEqual({ id, name: "new" });
      expect((await send("GET", `/owners?id=${capitals}`)).body.data).toEqual([{ id, name: "new" }]);
      expect((await send("DELETE", `/owners/${capitals}`)).status).toBe(204);
      expect(await run("select name from owners")).toEqual([]);
    });

  if (engine === "postgres")
    test("are not cut to the bytes of a name", async () => {
      const { send, run } = await open(resources(z.string()), ...statements("name", "é".repeat(31)));
      const long = `${"é".repeat(31)}é`;
      const problem = { code: "INVALID_VALUE", detail: 'The value of "id" is out of range; allowed is a text of at most 63 bytes.' };
      expect(await send("POST", "/owners", { id: long, name: "new" })).toMatchObject({ status: 422, body: problem });
      for (const method of ["GET", "PATCH", "DELETE"]) {
        expect((await send(method, `/owners/${encodeURIComponent(long)}`, method === "PATCH" ? {} : undefined)).status, method).toBe(404);
      }
      expect((await send("GET", `/owners?id=${encodeURIComponent(long)}`)).body.data).toEqual([]);
      expect(await run("select name from owners")).toHaveLength(1);
    });

  if (engine === "postgres")
    test("are taken for a PUT that names them in another spelling", async () => {
      const { send, run } = await open(resources(z.string()), ...statements("inet", "::2"));
      expect((await send("GET", "/owners/0::2")).status).toBe(404);
      expect(await send("PUT", "/owners/0::2", { name: "new" })).toMatchObject({ status: 422, body: { code: "DUPLICATE_ID" } });
      expect(await run("select name from owners")).toEqual([{ name: "of ::2" }]);
    });
});
