import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

/** As plain a schema as most; with functions that may wait; with a refinement over the whole row; with a read-only default. */
const schemas = {
  plain: {},
  asynchronous: {
    note: z
      .string()
      .refine(async (note) => note !== "bad")
      .optional(),
  },
  "read-only": { state: z.string().default("new") },
};
const base = {
  id: z.int(),
  name: z.string().min(2),
  due: z.date().optional(),
  size: z.bigint().optional(),
  createdAt: z.date(),
  updatedAt: z.date(),
};

function itemsOf(kind: keyof typeof schemas, isWhole: boolean) {
  const schema = z.object({ ...base, ...schemas[kind] });
  return defineResource("items", {
    schema: isWhole ? schema.refine(({ name }) => name !== "whole") : schema,
    generated: { id: "increment", createdAt: "createdAt", updatedAt: "updatedAt" },
    ...(kind === "read-only" ? { readOnly: ["state"] as never } : {}),
  });
}

const stores = { memory: memoryStorage, SQLite: () => sqliteStorage({ path: ":memory:" }) };
const cases = Object.keys(stores).flatMap((store) =>
  Object.keys(schemas).flatMap((kind) => [false, true].map((isWhole) => ({ store, kind, isWhole }))),
);

test.each(cases)(
  "imported rows are those that single writes make: $kind on $store, refined as a whole: $isWhole",
  async ({ store, kind, isWhole }) => {
    const storage = stores[store as keyof typeof stores]();
    const service = fullService({ resources: [itemsOf(kind as keyof typeof schemas, isWhole)], storage });
    onTestFinished(() => service.close());
    const send = clientOf(service);
    await service.start();
    const rows = [
      { name: "one" },
      { name: "two", due: "2026-01-02T03:04:05.000Z", size: "9007199254740993" },
      { name: "three", due: "2026-01-02T03:04:05.000Z" },
    ];
    for (const row of rows) {
      const created = await send({ method: "POST", target: "/items", headers: { "content-type": "application/json" }, body: JSON.stringify(row) });
      expect(created.status).toBe(201);
    }
    const file = [...rows, { name: "x" }, ...(isWhole ? [{ name: "whole" }] : []), ...rows].map((row) => JSON.stringify(row)).join("\n");
    const answer = (await send({ method: "POST", target: "/items/import", headers: { "content-type": "application/x-ndjson" }, body: file })).json;
    expect(answer.result).toMatchObject({ created: 6, failed: isWhole ? 2 : 1 });
    const listed: Record<string, unknown>[] = (await send({ target: "/items?sort=id&perPage=20" })).json.data;
    const known = ({ id: _, createdAt: __, updatedAt: ___, ...row }: Record<string, unknown>) => row;
    expect(listed.slice(3).map(known)).toEqual([...listed.slice(0, 3), ...listed.slice(0, 3)].map(known));
  },
);

test("the rows of a chunk have one instant", async () => {
  const service = fullService({ resources: [itemsOf("plain", false)], storage: sqliteStorage({ path: ":memory:" }) });
  onTestFinished(() => service.close());
  const send = clientOf(service);
  await service.start();
  const body = Array.from({ length: 900 }, (_, row) => `name ${row}`).join("\n");
  const answer = await send({ method: "POST", target: "/items/import", headers: { "content-type": "text/csv" }, body: `name\n${body}\n` });
  expect(answer.json.result).toMatchObject({ created: 900 });
  const listed: { createdAt: string; updatedAt: string }[] = (await send({ target: "/items?perPage=100&fields=createdAt,updatedAt" })).json.data;
  expect(new Set(listed.flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt])).size).toBe(1);
});
