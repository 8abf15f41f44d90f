import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines, notes } from "./engines.js";

describeEngines("operations in a table of a developer", (open) => {
  const shape = { id: z.int(), slug: z.string() };
  const declaration = "create table notes (id integer primary key, slug varchar(20) not null)";
  const row = (id: number) => ({ id, slug: "a", _version: "" });

  test("find the row that they have created, and do not create one again that was removed since", async () => {
    const resource = notes({}, shape);
    const { storage, run } = await open(resource, declaration);
    const rows = storage.collection(resource.model);
    expect(await rows.insert(row(1), { operationId: "op" })).toMatchObject({ ok: true, created: true });
    expect(await rows.insert(row(2), { operationId: "op" })).toMatchObject({ ok: true, created: false, row: { id: 1 } });
    await rows.remove(1, {});
    const removed = { ok: false, why: "refused", problem: { status: 404, code: "NOT_FOUND" } };
    expect(await rows.insert(row(1), { operationId: "op" })).toMatchObject(removed);
    const several = await rows.insertMany?.([row(1), row(2), row(3)], { operationIds: ["op", "other", "third"] });
    expect(several).toMatchObject([removed, { ok: true, created: true }, { ok: true, created: true }]);
    expect(await run("select id from notes order by id")).toEqual([{ id: 2 }, { id: 3 }]);
  });

  test("are forgotten after 31 days, while the process runs", async () => {
    const resource = notes({}, shape);
    const { storage, run } = await open(resource, declaration);
    const day = 86_400_000;
    for (const [id, age] of [
      ["old", 32],
      ["young", 30],
    ] as const) {
      const values = `'', 'notes', '${id}', '1', ${Date.now() - age * day}`;
      await run(`insert into "_restwright_operations" ("tenant", "collection", "operation_id", "row_id", "created") values (${values})`);
    }
    const rows = storage.collection(resource.model);
    for (let id = 1; id <= 50; id++) await rows.insert(row(id), { operationId: `op${id}` });
    expect(await run(`select operation_id from "_restwright_operations" where operation_id in ('old', 'young')`)).toEqual([
      { operation_id: "young" },
    ]);
    expect(await run("select count(*) as n from notes")).toEqual([{ n: 50 }]);
  });

  test("answer 404 in a transaction of calls", async () => {
    const { service, run } = await open(notes({}, shape), declaration);
    const calls = service.asSystem() as unknown as {
      notes: { create(row: object, options: object): Promise<unknown>; remove(id: number): Promise<unknown> };
    };
    await calls.notes.create({ id: 1, slug: "a" }, { operationId: "op" });
    await calls.notes.remove(1);
    await expect(calls.notes.create({ id: 1, slug: "a" }, { operationId: "op" })).rejects.toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect(await run("select count(*) as n from notes")).toEqual([{ n: 0 }]);
  });
});
