import { defineResource, ProblemError } from "restwright";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines } from "../engines.js";

const table = (name: string) => ({ name, managed: false, version: "hash", tenant: "shared", casing: "snake_case" }) as const;
const teams = defineResource("teams", { schema: z.object({ id: z.int(), name: z.string(), leadId: z.int().nullable() }), table: table("teams") });
const people = defineResource("people", { schema: z.object({ id: z.int(), teamId: z.int() }), table: table("people") });
const resources = [teams, people] as const;
const everything = { resources, authorize: () => true };

/** Keys as Django declares them. */
const statements = {
  sqlite: [
    "create table teams (id integer primary key, name varchar(20) not null, lead_id integer references people (id) deferrable initially deferred)",
    "create table people (id integer primary key, team_id integer not null references teams (id) deferrable initially deferred)",
  ],
  postgres: [
    "create table teams (id integer primary key, name varchar(20) not null, lead_id integer)",
    "create table people (id integer primary key, team_id integer not null references teams (id) deferrable initially deferred)",
    "alter table teams add constraint teams_lead foreign key (lead_id) references people (id) deferrable initially deferred",
  ],
} as const;

const strict = { prefer: "handling=strict" };

describeEngines("deferred foreign keys", (openService, engine) => {
  const open = async () => {
    const opened = await openService(everything, ...statements[engine]);
    await opened.send("POST", "/teams", { id: 1, name: "one", leadId: null });
    const ids = async () => (await opened.run("select id from people order by id")).map(({ id }) => Number(id));
    return { ...opened, ids, service: opened.service as unknown as Shops };
  };

  test("refuse a single write that names no row, with its field", async () => {
    const { send, ids } = await open();
    const refused = await send("POST", "/people", { id: 1, teamId: 9 });
    expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([422, "UNKNOWN_REFERENCE", "/teamId"]);
    expect((await send("POST", "/people", { id: 1, teamId: 1 })).status).toBe(201);
    const patched = await send("PATCH", "/people/1", { teamId: 9 });
    expect([patched.status, patched.body.code]).toEqual([422, "UNKNOWN_REFERENCE"]);
    expect((await send("GET", "/people/1")).body.teamId).toBe(1);
    expect(await ids()).toEqual([1]);
  });

  test("refuse the delete of a row that others name", async () => {
    const { send } = await open();
    await send("POST", "/people", { id: 1, teamId: 1 });
    const refused = await send("DELETE", "/teams/1");
    expect([refused.status, refused.body.code]).toEqual([409, "ROW_IN_USE"]);
    expect((await send("GET", "/teams/1")).status).toBe(200);
    await send("DELETE", "/people/1");
    expect((await send("DELETE", "/teams/1")).status).toBe(204);
  });

  test("are the fault of their item in a batch, whose neighbours are written", async () => {
    const { send, ids } = await open();
    const items = [1, 9, 1].map((teamId, index) => ({ id: index + 1, teamId }));
    const mixed = await send("POST", "/people/batch", { items });
    expect(mixed.body.results.map(({ status }: { status: number }) => status)).toEqual([201, 422, 201]);
    expect(await ids()).toEqual([1, 3]);
    const atomic = await send("POST", "/people/batch", { items: items.map((item) => ({ ...item, id: item.id + 10 })) }, undefined, strict);
    expect([atomic.status, atomic.text.includes("UNKNOWN_REFERENCE")]).toEqual([422, true]);
    expect(await ids()).toEqual([1, 3]);
  });

  test("do not fail the writes that commit at the same time", async () => {
    const { send, ids } = await open();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, id) => send("POST", "/people", { id, teamId: id === 7 ? 9 : 1 })));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, (_, id) => (id === 7 ? 422 : 201)));
    expect((await ids()).length).toBe(19);
  });

  test("are checked by each call of a transaction", async () => {
    const { service, ids } = await open();
    const refused: unknown[] = [];
    await service.asSystem().transaction(async (tx) => {
      await tx.people.create({ id: 1, teamId: 1 });
      await tx.transaction((inner) => inner.people.create({ id: 2, teamId: 9 })).catch((error: unknown) => void refused.push(error));
      await tx.people.create({ id: 3, teamId: 1 });
    });
    expect(refused).toEqual([expect.objectContaining({ code: "UNKNOWN_REFERENCE", status: 422 })]);
    expect(await ids()).toEqual([1, 3]);
  });

  test("are left to the commit if the transaction asks for it", async () => {
    const { service, ids, run } = await open();
    await service.asSystem().transaction(
      async (tx) => {
        await tx.people.create({ id: 1, teamId: 2 });
        await tx.teams.create({ id: 2, name: "two", leadId: 1 });
      },
      { deferConstraints: true },
    );
    expect(await ids()).toEqual([1]);
    const broken = service.asSystem().transaction((tx) => tx.people.create({ id: 2, teamId: 9 }), { deferConstraints: true });
    const error: unknown = await broken.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ code: "UNKNOWN_REFERENCE", status: 422 });
    expect(await run("select count(*) as n from people")).toEqual([{ n: 1 }]);
    const nested = service.asSystem().transaction((tx) => tx.transaction(async () => 1, { deferConstraints: true }));
    await expect(nested).rejects.toThrow('A savepoint has no option "deferConstraints".');
  });
});

type Shops = ReturnType<typeof import("restwright").createService<typeof resources>>;
