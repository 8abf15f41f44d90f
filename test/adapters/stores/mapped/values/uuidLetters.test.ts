import { belongsTo, defineResource, hasMany } from "restwright";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines } from "../engines.js";

const table = { managed: false, version: "hash", tenant: "shared", casing: "snake_case" } as const;

const first = "a0000000-0000-4000-8000-00000000000a";
const second = "b0000000-0000-4000-8000-00000000000b";
const third = "c0000000-0000-4000-8000-00000000000c";
const big = (text: string) => text.toUpperCase();

const owners = defineResource("owners", {
  schema: z.object({ id: z.uuid(), name: z.string(), token: z.guid().nullable().default(null) }),
  unique: ["token"],
  relations: { notes: hasMany("notes", "ownerId") },
  table: { ...table, name: "owners" },
});
const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), ownerId: z.uuid() }),
  relations: { owner: belongsTo("owners", "ownerId", { filter: ["name"] }) },
  table: { ...table, name: "notes" },
});
const lines = defineResource("lines", {
  schema: z.object({ owner: z.uuid(), line: z.int(), text: z.string() }),
  id: ["owner", "line"],
  table: { ...table, name: "lines" },
});
const all = { resources: [owners, notes, lines], authorize: () => true };

/** Two owners in the table as another program wrote them, each with a note. */
function statements(type: string, ids: readonly [string, string]) {
  return [
    `create table owners (id ${type} not null primary key, name text not null, token ${type} unique)`,
    `create table notes (id int not null primary key, owner_id ${type} not null references owners (id))`,
    `create table lines (owner ${type} not null, line int not null, text text not null, primary key (owner, line))`,
    `insert into owners values ('${ids[0]}', 'one', '${ids[0]}'), ('${ids[1]}', 'two', null)`,
    `insert into notes values (1, '${ids[0]}'), (2, '${ids[1]}')`,
    `insert into lines values ('${ids[0]}', 7, 'seven')`,
  ];
}

const patch = { "content-type": "application/merge-patch+json" };

describeEngines("UUIDs of tables of a developer", (open, engine) => {
  const forms: readonly (readonly [string, string, readonly [string, string]])[] = [
    ["texts in small letters", "varchar(36)", [first, second]],
    ["texts in capitals", "varchar(36)", [big(first), big(second)]],
    ["texts in capitals without a limit", "text", [big(first), big(second)]],
    ...(engine === "postgres"
      ? ([["the type uuid", "uuid", [first, second]]] as const)
      : ([
          ["texts that ignore case", "text collate nocase", [big(first), second]],
          ["the name uuid", "uuid", [big(first), big(second)]],
        ] as const)),
  ];

  test.each(forms)("%s: both cases are the same row, unique value and reference", async (_, type, ids) => {
    const { send, run, errors } = await open(all, ...statements(type, ids));
    for (const id of [first, big(first)]) {
      expect((await send("GET", `/owners/${id}`)).body).toEqual({ id: first, name: "one", token: first });
      expect((await send("GET", `/owners?id=${id}`)).body.data, id).toMatchObject([{ id: first }]);
      expect((await send("GET", `/owners?token[in]=${id},${third}`)).body.data).toMatchObject([{ id: first }]);
      expect(await send("POST", "/owners", { id, name: "x" })).toMatchObject({ status: 422, body: { code: "DUPLICATE_ID" } });
      expect(await send("POST", "/owners", { id: third, name: "x", token: id })).toMatchObject({ status: 422, body: { code: "DUPLICATE_TOKEN" } });
      expect((await send("GET", `/owners/${id}/notes`)).body.data).toEqual([{ id: 1, ownerId: first }]);
      expect((await send("GET", `/lines/${id},7`)).body).toEqual({ owner: first, line: 7, text: "seven" });
      const changed = await send("PATCH", `/owners/${id}`, { name: "one" }, undefined, patch);
      expect(changed).toMatchObject({ status: 200, body: { id: first } });
    }
    for (const [index, id] of [second, big(second)].entries()) {
      expect(await send("POST", "/notes", { id: 10 + index, ownerId: id })).toMatchObject({ status: 201, body: { ownerId: second } });
      expect((await send("GET", `/notes?ownerId=${id}&sort=id`)).body.data.map((note: { id: number }) => note.id)).toEqual(
        [2, 10, 11].slice(0, 2 + index),
      );
    }
    expect((await send("GET", "/notes/10?include=owner")).body.owner).toMatchObject({ id: second, name: "two" });
    expect((await send("GET", "/notes?owner.name=two&sort=id")).body.data).toHaveLength(3);
    expect((await send("GET", "/owners?include=notes&sort=id")).body.data.map((owner: { notes: unknown[] }) => owner.notes.length)).toEqual([1, 3]);
    expect((await send("POST", "/owners/batch-delete", { ids: [big(first)] })).body.results).toMatchObject([{ status: 409 }]);
    expect(await send("PUT", `/owners/${big(third)}`, { name: "three" })).toMatchObject({ status: 201, body: { id: third } });
    expect(errors).toEqual([]);
    expect(await run("select id from owners group by lower(cast(id as text)), id")).toHaveLength(3);
  });

  test.each(forms)("%s: a list goes on at its cursor", async (_, type, ids) => {
    const { send } = await open(all, ...statements(type, ids));
    await send("POST", "/owners", { id: third, name: "three" });
    const seen: string[] = [];
    let cursor = "";
    for (let page = 0; page < 4 && cursor !== undefined; page++) {
      const { body } = await send("GET", `/owners?perPage=1&sort=id&${cursor === "" ? "" : `cursor=${cursor}`}`);
      seen.push(...body.data.map((owner: { id: string }) => owner.id));
      cursor = body.meta.nextCursor ?? undefined;
    }
    expect(seen).toEqual([first, second, third]);
  });

  test("texts of both cases are found and warned of, and what was shown leaves them as they are", async () => {
    const { send, run, errors, storage } = await open(all, ...statements("text", [big(first), second]));
    const warnings: string[] = [];
    await storage.migrate?.([notes.model], { warn: (_, message) => void warnings.push(message) });
    expect(warnings.filter((message) => /"owner_id" holds UUIDs in small letters and in capitals/.test(message))).toHaveLength(1);
    for (const id of [first, second]) {
      expect((await send("GET", `/owners/${big(id)}`)).body).toMatchObject({ id });
      expect((await send("GET", `/owners/${id}/notes`)).body.data).toMatchObject([{ ownerId: id }]);
    }
    expect((await send("GET", "/notes?owner.name=one")).body.data).toMatchObject([{ id: 1 }]);
    expect((await send("GET", "/owners?include=notes&sort=id")).body.data).toMatchObject([{ notes: [{ id: 1 }] }, { notes: [{ id: 2 }] }]);
    const first1 = await send("GET", "/owners?perPage=1&sort=id");
    expect((await send("GET", `/owners?perPage=1&sort=id&cursor=${first1.body.meta.nextCursor}`)).body.data).toMatchObject([{ id: second }]);
    expect(await send("PUT", `/owners/${first}`, { name: "new", token: first })).toMatchObject({ status: 200 });
    expect(await run("select id, token from owners where name = 'new'")).toEqual([{ id: big(first), token: big(first) }]);
    expect(errors).toEqual([]);
  });

  test("a row in the other case than those at the start is named in the log", async () => {
    const { send, run, errors } = await open(all, ...statements("text", [first, second]));
    await run(`insert into owners values ('${big(third)}', 'three', null)`);
    expect((await send("GET", "/owners")).status).toBe(500);
    expect(String((errors[0] as Error).message)).toMatch(
      /owners: "id" cannot be read from the column "id" of the table "owners": it is a UUID in capitals/,
    );
  });
});
