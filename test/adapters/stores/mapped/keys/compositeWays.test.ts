import { defineResource, type Resource } from "restwright";
import { actions } from "restwright/actions";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { jobs } from "restwright/jobs";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { subscribers } from "restwright/subscribers";
import { testService } from "restwright/testing";
import { transfer } from "restwright/transfer";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import type { TableOptions } from "../../../../../src/ground/storage/tableOptions.js";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const table: TableOptions = { name: "order_lines", managed: false, casing: "snake_case", version: "hash", tenant: "shared" };

async function mappedTable(): Promise<Storage> {
  const storage = sqliteStorage({ path: ":memory:" });
  await storage.transaction?.(async (tx) =>
    tx.sql?.(
      "create table order_lines (order_id integer not null, line text not null, title text not null unique, primary key (order_id, line))",
      [],
    ),
  );
  return storage;
}

/** What the hooks have seen, by the parts of the rows. */
type Seen = string[];

function lines(seen: Seen, mapping: TableOptions | undefined): Resource {
  return defineResource("lines", {
    schema: z.object({ orderId: z.int(), line: z.string(), title: z.string() }),
    id: ["orderId", "line"],
    unique: ["title"],
    events: { "line.changed": { on: ["create", "update", "remove"] } },
    hooks: { afterWrite: ({ kind, row }) => void seen.push(`${kind} ${row.orderId},${row.line}`) },
    actions: ({ action }) => ({
      rename: action({ on: "row", batch: true, input: z.object({ title: z.string() }), run: ({ input }) => ({ title: input.title }) }),
    }),
    ...(mapping && { table: mapping }),
  });
}

async function stage(storage: Storage, mapping: TableOptions | undefined) {
  const seen: Seen = [];
  const handled: unknown[] = [];
  const opened = testService({
    storage,
    resources: [lines(seen, mapping)],
    use: [jobs(), batch(), transfer({ blobs: memoryBlobs() }), hooks(), actions(), subscribers({ pollMs: 5 })],
  });
  ends.push(opened.close);
  opened.service.on("line.changed", { name: "all" }, ({ data }) => void handled.push(data));
  await opened.service.start();
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const given = typeof body === "string" ? { body } : body === undefined ? {} : { json: body };
    const answer = await opened.fetch(path, { method, as: { id: "ann" }, headers, ...given });
    const text = await answer.text();
    return { status: answer.status, text, json: answer.headers.get("content-type")?.includes("json") ? JSON.parse(text) : undefined };
  };
  return { send, seen, handled };
}

describe.each([
  ["memory", async () => memoryStorage(), undefined],
  ["a table of the developer in SQLite", mappedTable, table],
] as const)("composite ids in %s", (_, open, mapping) => {
  test("name the row of an action, of its batch, of a hook and of an event", async () => {
    const { send, seen, handled } = await stage(await open(), mapping);
    for (const line of ["a,b", "c"]) expect((await send("POST", "/lines", { orderId: 7, line, title: line })).status).toBe(201);
    expect(await send("POST", "/lines/7,a%2Cb/rename", { title: "one" })).toMatchObject({
      status: 200,
      json: { orderId: 7, line: "a,b", title: "one" },
    });
    expect((await send("POST", "/lines/7,a,b/rename", { title: "x" })).status).toBe(404);
    const renamed = await send("POST", "/lines/rename", {
      items: [
        { id: "7,c", input: { title: "two" } },
        { id: "7,d", input: { title: "three" } },
      ],
    });
    expect(renamed.json.results).toMatchObject([{ status: 200, id: "7,c" }, { status: 404 }]);
    expect((await send("DELETE", "/lines/7,c")).status).toBe(204);
    expect(seen).toEqual(["create 7,a,b", "create 7,c", "update 7,a,b", "update 7,c", "remove 7,c"]);
    await expect.poll(() => handled.length).toBe(5);
    for (const data of handled) expect(data).toEqual({ orderId: 7, line: expect.stringMatching(/^(?:a,b|c)$/) });
  });

  test("are written by an import, and come back in an export", async () => {
    const { send, seen } = await stage(await open(), mapping);
    const csv = { "content-type": "text/csv" };
    expect(await send("POST", "/lines/import", 'orderId,line,title\n7,"a,b",one\n7,c,two\n7,c,three\nx,d,four\n', csv)).toMatchObject({
      json: { result: { created: 2, failed: 2 } },
    });
    expect(await send("POST", "/lines/import?mode=upsert&key=title", 'orderId,line,title\n7,"a,b",one\n8,c,five\n', csv)).toMatchObject({
      json: { result: { created: 1 } },
    });
    // The parts are fixed: a row of another id that has the same key is the fault of its line.
    expect(await send("POST", "/lines/import?mode=upsert&key=title", "orderId,line,title\n9,z,one\n", csv)).toMatchObject({
      json: { result: { failed: 1 } },
    });
    expect((await send("GET", "/lines/export?format=csv")).text).toBe('orderId,line,title\r\n7,"a,b",one\r\n7,c,two\r\n8,c,five\r\n');
    expect(seen.filter((each) => each.startsWith("create"))).toEqual(["create 7,a,b", "create 7,c", "create 8,c"]);
  });

  test("name the rows that an import changes", async () => {
    const { send, seen } = await stage(await open(), mapping);
    for (const line of ["a,b", "c"]) await send("POST", "/lines", { orderId: 7, line, title: line });
    const csv = { "content-type": "text/csv" };
    const upsert = "/lines/import?mode=upsert&key=orderId,line";
    expect((await send("POST", upsert, 'line,orderId,title\n"a,b",7,one\nc,8,two\n', csv)).json).toMatchObject({
      result: { created: 1, updated: 1, failed: 0 },
    });
    expect((await send("GET", "/lines/7,a%2Cb")).json).toEqual({ orderId: 7, line: "a,b", title: "one" });
    expect((await send("GET", "/lines/8,c")).json).toEqual({ orderId: 8, line: "c", title: "two" });
    // The same row twice in one file: the second line changes what the first one made.
    expect((await send("POST", upsert, "orderId,line,title\n9,x,first\n9,x,second\n", csv)).json).toMatchObject({
      result: { created: 1, updated: 1 },
    });
    expect((await send("GET", "/lines/9,x")).json).toMatchObject({ title: "second" });
    const ndjson = { "content-type": "application/x-ndjson" };
    const update = "/lines/import?mode=update&key=orderId%2Cline&skipUnchanged=true";
    const rows = [
      { orderId: 7, line: "c", title: "three" },
      { orderId: 7, line: "d", title: "four" },
      { orderId: 7, line: "", title: "four" },
      { orderId: 7, title: "four" },
      { orderId: "x", line: "c", title: "four" },
      { orderId: 8, line: "c", title: "two" },
      { orderId: 7, line: "a,b", title: "three" },
    ];
    const updated = (await send("POST", update, rows.map((row) => JSON.stringify(row)).join("\n"), ndjson)).json;
    expect(updated).toMatchObject({ result: { created: 0, updated: 1, skipped: 1, failed: 5 } });
    expect(updated.errors).toMatchObject([
      { row: 2, code: "NOT_FOUND" },
      { row: 3, code: "VALIDATION_FAILED" },
      { row: 4, code: "VALIDATION_FAILED" },
      { row: 5 },
      { row: 7, code: "DUPLICATE_TITLE" },
    ]);
    expect(seen.slice(2)).toEqual(["update 7,a,b", "create 8,c", "create 9,x", "update 9,x", "update 7,c"]);
  });

  test("are not the key of an import by one part, nor in another order", async () => {
    const { send } = await stage(await open(), mapping);
    for (const key of ["orderId", "line,orderId", "_id"]) {
      const answer = await send("POST", `/lines/import?mode=upsert&key=${key}`, "orderId,line,title\n7,c,t\n", { "content-type": "text/csv" });
      expect(answer).toMatchObject({ status: 400, json: { errors: [{ parameter: "key", allowed: ["orderId,line", "title"] }] } });
    }
  });
});
