import { belongsTo, defineResource, hasMany } from "restwright";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { fullService } from "../../../tools/fullService.js";
import { describeStores } from "../../../tools/storage/batchStores.js";

const id = "a0000000-0000-4000-8000-00000000000a";
const other = "b0000000-0000-4000-8000-00000000000b";
const third = "c0000000-0000-4000-8000-00000000000c";
const made = "d0000000-0000-4000-8000-00000000000d";
const big = (text: string) => text.toUpperCase();

const holder = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("user"), user: z.uuid() }),
  z.object({ kind: z.literal("text"), user: z.string() }),
]);

const shape = {
  id: z.uuid(),
  token: z.guid().optional(),
  parentId: z.uuid().nullable().default(null),
  refs: z.array(z.uuid()).default([]),
  meta: z.object({ ref: z.string().uuid(), deep: z.object({ refs: z.array(z.uuid()) }) }).optional(),
  byName: z.record(z.string(), z.uuid()).optional(),
  either: z.union([z.string(), z.uuid(), z.int()]).optional(),
  holder: holder.optional(),
  code: z.string().optional(),
  usual: z.uuid().default(big(third)),
  hooked: z.union([z.uuid(), z.int()]).optional(),
};

const nodes = defineResource("nodes", {
  schema: z.object(shape),
  unique: ["token"],
  relations: { parent: belongsTo("nodes", "parentId"), children: hasMany("nodes", "parentId") },
  hooks: {
    beforeWrite: ({ kind }) => (kind === "create" ? { hooked: big(made) } : undefined),
  },
});

const lines = defineResource("lines", {
  schema: z.object({ node: z.uuid(), line: z.int(), text: z.string() }),
  id: ["node", "line"],
});

const tickets = defineResource("tickets", {
  schema: z.object({ id: z.uuid(), ownerId: z.uuid(), title: z.string() }),
  generated: { id: "uuid" },
  stamp: { ownerId: () => big(other) },
  scope: () => ({ ownerId: big(other) }),
});

const json = "application/json";
const patch = "application/merge-patch+json";

describeStores(
  "UUIDs in capitals",
  ({ open }) => {
    const start = async () => {
      const { storage, end } = await open();
      let count = 0;
      const ids = { uuid: () => big(made), ulid: () => `01J${String(count++).padStart(23, "0")}` };
      const service = fullService({ resources: [nodes, lines, tickets], storage, ids, logger: false });
      onTestFinished(async () => {
        await service.close();
        await end();
      });
      const client = clientOf(service);
      const send = async (method: string, target: string, body?: unknown, type = json) => {
        const answer = await client({ method, target, body, headers: body === undefined ? {} : { "content-type": type } });
        return { status: answer.status, body: answer.text === "" ? undefined : answer.json, headers: answer.headers };
      };
      return { service, send };
    };

    test("are one row in each address, body, batch and reference", async () => {
      const { send } = await start();
      expect(await send("POST", "/nodes", { id: big(id), token: big(other) })).toMatchObject({
        status: 201,
        body: { id, token: other, usual: third },
      });
      expect(await send("POST", "/nodes", { id })).toMatchObject({ status: 422, body: { code: "DUPLICATE_ID" } });
      expect(await send("POST", "/nodes", { id: third, token: other })).toMatchObject({ status: 422, body: { code: "DUPLICATE_TOKEN" } });
      expect(await send("GET", `/nodes/${big(id)}`)).toMatchObject({ status: 200, body: { id } });
      expect(await send("PATCH", `/nodes/${big(id)}`, { code: "x" }, patch)).toMatchObject({ status: 200, body: { id, code: "x" } });
      expect(await send("PUT", `/nodes/${big(id)}`, { id: big(id), code: "y" })).toMatchObject({ status: 200, body: { id, code: "y" } });
      expect(await send("PUT", `/nodes/${id}`, { id: big(id), code: "z" })).toMatchObject({ status: 200, body: { id, code: "z" } });
      expect(await send("PATCH", `/nodes/${id}`, { id: big(id), code: "w" }, patch)).toMatchObject({ status: 200, body: { code: "w" } });
      expect((await send("PUT", `/nodes/${id}`, { id: other })).status).toBe(422);
      expect(await send("POST", "/nodes", { id: other, parentId: big(id) })).toMatchObject({ status: 201, body: { parentId: id } });
      expect(await send("PUT", `/nodes/${big(third)}`, { parentId: big(other) })).toMatchObject({
        status: 201,
        body: { id: third, parentId: other },
      });
      const results = await send("PATCH", "/nodes/batch", { items: [{ id: big(other), changes: { code: "b" } }] });
      expect(results.body.results).toMatchObject([{ status: 200, id: other }]);
      expect((await send("POST", "/nodes/batch-delete", { ids: [big(third)] })).body.results).toMatchObject([{ status: 204, id: third }]);
      expect((await send("GET", `/nodes/${big(other)}?include=parent`)).body.parent).toMatchObject({ id });
      expect((await send("DELETE", `/nodes/${big(other)}`)).status).toBe(204);
      expect((await send("GET", "/nodes")).body.data).toHaveLength(1);
    });

    test("name the parent in a path", async () => {
      const { send } = await start();
      await send("POST", "/nodes", { id });
      const child = await send("POST", `/nodes/${big(id)}/children`, { id: big(other), parentId: big(id) });
      expect(child).toMatchObject({ status: 201, body: { id: other, parentId: id } });
      expect((await send("GET", `/nodes/${big(id)}/children`)).body.data).toMatchObject([{ id: other }]);
      const put = await send("PUT", `/nodes/${id}/children/${big(other)}`, { parentId: big(id), code: "c" });
      expect(put).toMatchObject({ status: 200, body: { id: other, code: "c" } });
      expect((await send("PATCH", `/nodes/${id}/children/${other}`, { parentId: big(id) }, patch)).status).toBe(200);
      expect((await send("PATCH", `/nodes/${id}/children/${other}`, { parentId: third }, patch)).status).toBe(422);
    });

    const whole = {
      refs: [id, other],
      meta: { ref: other, deep: { refs: [third] } },
      byName: { a: id },
      either: other,
      holder: { kind: "user", user: id },
    };
    const bigWhole = JSON.parse(JSON.stringify(whole).replaceAll(/[abc]0000000[-\dabc]+/g, big));

    test("are folded inside of objects, arrays, records and unions, and found there", async () => {
      const { send } = await start();
      expect(await send("POST", "/nodes", { id, ...bigWhole })).toMatchObject({ status: 201, body: { ...whole, hooked: made } });
      expect(await send("PUT", `/nodes/${id}`, { ...whole, hooked: made, usual: third })).toMatchObject({ status: 200, body: whole });
      expect(await send("PATCH", `/nodes/${id}`, { refs: [big(third)], meta: { ref: big(id) } }, patch)).toMatchObject({
        body: { refs: [third], meta: { ref: id, deep: { refs: [third] } } },
      });
      const steps = [{ op: "replace", path: "/meta/ref", value: big(other) }];
      expect(await send("PATCH", `/nodes/${id}`, steps, "application/json-patch+json")).toMatchObject({
        status: 200,
        body: { meta: { ref: other } },
      });
      for (const filter of [
        `id=${big(id)}`,
        `id[in]=${big(id)},${other}`,
        `refs=${big(third)}`,
        `meta.ref=${big(other)}`,
        `either=${big(other)}`,
        `usual=${big(third)}`,
      ]) {
        expect((await send("GET", `/nodes?${filter}`)).body.data, filter).toMatchObject([{ id }]);
      }
      expect((await send("POST", "/searches", { collection: "nodes", filter: { id: big(id), not: { id: big(other) } } })).body.data).toMatchObject([
        { id },
      ]);
      // In a text a UUID is a text.
      const text = { kind: "text", user: big(id) };
      expect(await send("PATCH", `/nodes/${id}`, { holder: text, code: big(id) }, patch)).toMatchObject({ body: { holder: text, code: big(id) } });
    });

    test("are one part of a composite id", async () => {
      const { send } = await start();
      expect(await send("POST", "/lines", { node: big(id), line: 7, text: "a" })).toMatchObject({ status: 201, body: { node: id } });
      expect((await send("POST", "/lines", { node: id, line: 7, text: "a" })).status).toBe(422);
      expect(await send("PATCH", `/lines/${big(id)},7`, { text: "b" }, patch)).toMatchObject({ status: 200, body: { node: id, text: "b" } });
      expect(await send("PUT", `/lines/${big(id)},7`, { node: big(id), line: 7, text: "c" })).toMatchObject({ status: 200, body: { text: "c" } });
      expect((await send("POST", "/lines/batch-delete", { ids: [`${big(id)},7`] })).body.results).toMatchObject([{ status: 204 }]);
    });

    test("are the key of an import, and continue a list", async () => {
      const { send } = await start();
      await send("POST", "/nodes", { id, code: "one" });
      const csv = `id,code,parentId\n${big(id)},two,\n${big(other)},new,${big(id)}\n`;
      const imported = await send("POST", "/nodes/import?mode=upsert&key=id", csv, "text/csv");
      expect(imported.body.result).toMatchObject({ created: 1, updated: 1 });
      expect((await send("GET", "/nodes?sort=id")).body.data).toMatchObject([
        { id, code: "two" },
        { id: other, code: "new", parentId: id },
      ]);
      const page = await send("GET", `/nodes?perPage=1&id[in]=${big(id)},${big(other)}`);
      expect(page.body.data).toMatchObject([{ id }]);
      const next = await send("GET", `/nodes?perPage=1&id[in]=${id},${other}&cursor=${page.body.meta.nextCursor}`);
      expect(next.body.data).toMatchObject([{ id: other }]);
    });

    test("are folded where a source of ids, a stamp, a scope or code has them", async () => {
      const { service, send } = await start();
      const ticket = await send("POST", "/tickets", { title: "a" });
      expect(ticket).toMatchObject({ status: 201, body: { id: made, ownerId: other } });
      expect(await send("GET", `/tickets/${big(made)}`)).toMatchObject({ status: 200 });
      const calls = { nodes: service.asSystem().of(nodes), lines: service.asSystem().of(lines) };
      expect(await calls.nodes.create({ id: big(id), refs: [big(other)] })).toMatchObject({ id, refs: [other] });
      expect(await calls.nodes.get(big(id))).toMatchObject({ id });
      expect(await calls.nodes.update(big(id), { token: big(third) })).toMatchObject({ token: third });
      expect((await calls.nodes.list({ where: { id: big(id) } })).data).toHaveLength(1);
      await calls.lines.create({ node: big(id), line: 1, text: "a" });
      expect(await calls.lines.get([big(id), 1])).toMatchObject({ node: id });
    });
  },
  ({ name, engines }) => engines !== undefined || /^(memory|SQLite)$/.test(name),
);
