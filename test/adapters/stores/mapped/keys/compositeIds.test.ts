// @long

import { defineResource } from "restwright";
import { actions } from "restwright/actions";
import { batch } from "restwright/batch";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { testService } from "restwright/testing";
import { transfer } from "restwright/transfer";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { TableOptions } from "../../../../../src/ground/storage/tableOptions.js";
import { describeEngines } from "../engines.js";

const schema = z.object({ orderId: z.int(), line: z.string(), title: z.string(), quantity: z.int().optional() });

function lines(table?: TableOptions) {
  return defineResource("lines", { schema, id: ["orderId", "line"], ...(table && { table }) });
}

const table: TableOptions = { name: "order_lines", managed: false, casing: "snake_case", version: "hash", tenant: "shared" };
const columns = "order_id integer not null, line text not null, title text not null, quantity integer, primary key (order_id, line)";
const create = `create table order_lines (${columns})`;

interface LineRow {
  readonly orderId: number;
  readonly line: string;
  readonly title?: string;
}

/** What answers may contain. */
interface Body extends LineRow {
  readonly data: readonly LineRow[];
  readonly meta: { readonly nextCursor: string | null; readonly prevCursor: string | null };
  readonly results: readonly { readonly id: string; readonly data: LineRow }[];
}

interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly text: string;
  readonly body: Body;
}

type Send = (method: string, path: string, body?: unknown, tenant?: string, headers?: Record<string, string>) => Promise<Answer>;

/** Calls whose ids may be wrong. */
interface LineCalls {
  create(row: LineRow): Promise<LineRow>;
  get(id: unknown): Promise<LineRow>;
  update(id: unknown, changes: unknown): Promise<LineRow>;
  replace(id: unknown, row: unknown): Promise<LineRow>;
  remove(id: unknown): Promise<void>;
  walk(options: { readonly perPage: number }): AsyncIterable<LineRow>;
}

interface Opened {
  readonly send: Send;
  readonly service: { as(principal: { readonly id: string }): { readonly lines: LineCalls } };
}

/** What holds wherever the rows are. */
function sharedTests(open: () => Promise<Opened>): void {
  test("a row is created, read, replaced, changed and removed under the text of its id", async () => {
    const { send } = await open();
    const made = await send("POST", "/lines", { orderId: 7, line: "a,b", title: "one" });
    expect(made).toMatchObject({ status: 201, body: { orderId: 7, line: "a,b", title: "one" } });
    expect(made.text).not.toContain("_id");
    const path = "/lines/7,a%2Cb";
    expect(await send("GET", path)).toMatchObject({ status: 200, etag: made.etag, body: made.body });
    expect(await send("PUT", path, { orderId: 7, line: "a,b", title: "two", quantity: 3 })).toMatchObject({
      status: 200,
      body: { title: "two", quantity: 3 },
    });
    expect(await send("PATCH", path, { title: "three" })).toMatchObject({ status: 200, body: { title: "three", quantity: 3 } });
    expect(await send("DELETE", path)).toMatchObject({ status: 204 });
    expect(await send("GET", path)).toMatchObject({ status: 404 });
  });

  test("a segment that is no id in its only spelling names no row", async () => {
    const { send } = await open();
    await send("POST", "/lines", { orderId: 7, line: "2", title: "t" });
    const wrong = "7 7,2,3 7, ,2 , 7,. 7,.. 07,2 +7,2 7.0,2 x,2 7%2C2 7,%32 7,a%2cb 9007199254740993,2 99999999999999999999,2 7,%00".split(" ");
    for (const path of wrong.map((segment) => `/lines/${segment}`)) {
      for (const method of ["GET", "DELETE"]) expect((await send(method, path)).status, path).toBe(404);
      for (const method of ["PATCH", "PUT"]) expect((await send(method, path, { title: "x" })).status, path).toBe(404);
    }
    expect((await send("GET", "/lines/7,%zz")).status).toBe(400);
    expect((await send("GET", "/lines")).body.data).toHaveLength(1);
  });

  test("the parts are fixed after the create, and a PUT equals its path", async () => {
    const { send } = await open();
    expect(await send("PUT", "/lines/7,2", { title: "new" })).toMatchObject({ status: 201, body: { orderId: 7, line: "2", title: "new" } });
    expect(await send("PUT", "/lines/7,2", { orderId: 7, line: "3", title: "new" })).toMatchObject({
      status: 422,
      body: { errors: [{ code: "INVALID_VALUE", pointer: "/line" }] },
    });
    expect(await send("PUT", "/lines/8,2", { orderId: 7, title: "new" })).toMatchObject({ status: 422, body: { errors: [{ pointer: "/orderId" }] } });
    for (const change of [{ orderId: 8 }, { line: "3" }]) {
      const [name] = Object.keys(change);
      expect(await send("PATCH", "/lines/7,2", change)).toMatchObject({
        status: 422,
        body: { errors: [{ code: "READ_ONLY_FIELD", pointer: `/${name}` }] },
      });
    }
    const patch = [{ op: "replace", path: "/line", value: "3" }];
    expect((await send("PATCH", "/lines/7,2", patch, undefined, { "content-type": "application/json-patch+json" })).status).toBe(422);
    expect((await send("PATCH", "/lines/7,2", { orderId: 7, line: "2", quantity: 1 })).status).toBe(200);
    expect(await send("GET", "/lines/7,2")).toMatchObject({ body: { orderId: 7, line: "2", title: "new", quantity: 1 } });
  });

  test("a taken id names its parts, and a part that no path can contain is refused", async () => {
    const { send } = await open();
    await send("POST", "/lines", { orderId: 7, line: "2", title: "t" });
    expect(await send("POST", "/lines", { orderId: 7, line: "2", title: "u" })).toMatchObject({
      status: 422,
      body: { errors: [{ code: "DUPLICATE_ORDER_ID_LINE", pointer: "/orderId" }, { pointer: "/line" }] },
    });
    const twice = await send("POST", "/lines/batch", {
      items: [
        { orderId: 7, line: "2", title: "u" },
        { orderId: 7, line: "3", title: "v" },
      ],
    });
    expect(twice.body.results).toMatchObject([{ status: 422 }, { status: 201, id: "7,3" }]);
    for (const line of ["", ".", ".."]) {
      expect(await send("POST", "/lines", { orderId: 7, line, title: "t" })).toMatchObject({ status: 422, body: { errors: [{ pointer: "/line" }] } });
    }
  });

  test("lists end with all parts, by pages and by cursors in both directions", async () => {
    const { send, service } = await open();
    const ids = [2, 10, 9].flatMap((orderId) => ["b", "a", "c,d"].map((line) => ({ orderId, line, title: "same" })));
    for (const row of ids) await send("POST", "/lines", row);
    const sorted = [2, 9, 10].flatMap((orderId) => ["a", "b", "c,d"].map((line) => `${orderId}/${line}`));
    const names = (rows: readonly { orderId: number; line: string }[]) => rows.map(({ orderId, line }) => `${orderId}/${line}`);
    for (const [sort, expected] of [
      ["", sorted],
      ["sort=title&", sorted],
      ["sort=-title&", sorted.toReversed()],
      ["sort=-orderId&", sorted.toReversed()],
    ] as const) {
      const found: string[] = [];
      let page = await send("GET", `/lines?${sort}perPage=2`);
      for (;;) {
        found.push(...names(page.body.data));
        if (page.body.meta.nextCursor === null) break;
        page = await send("GET", `/lines?${sort}perPage=2&cursor=${page.body.meta.nextCursor}`);
      }
      expect(found).toEqual(expected);
      const before = await send("GET", `/lines?${sort}perPage=2&cursor=${page.body.meta.prevCursor}`);
      expect(names(before.body.data)).toEqual(expected.slice(6, 8));
    }
    const walked: LineRow[] = [];
    for await (const row of service.as({ id: "ann" }).lines.walk({ perPage: 2 })) walked.push(row);
    expect(names(walked)).toEqual(sorted);
  });

  test("batches name rows by the text of their ids", async () => {
    const { send } = await open();
    const made = await send("POST", "/lines/batch", { items: ["1", "a,b", "ü/."].map((line) => ({ orderId: 7, line, title: "t" })) });
    expect(made.body.results.map(({ id }) => id)).toEqual(["7,1", "7,a%2Cb", "7,%C3%BC%2F."]);
    const changed = await send("PATCH", "/lines/batch", {
      items: [
        { id: "7,a%2Cb", changes: { title: "u" } },
        { id: "7,9", changes: {} },
        { id: "07,1", changes: {} },
      ],
    });
    expect(changed.body.results).toMatchObject([{ status: 200, id: "7,a%2Cb", data: { title: "u" } }, { status: 404 }, { status: 404 }]);
    const atomic = await send("PATCH", "/lines/batch", { items: [{ id: "7,1", changes: { line: "2" } }] }, undefined, { prefer: "handling=strict" });
    expect(atomic).toMatchObject({
      status: 422,
      body: { results: [{ error: { errors: [{ code: "READ_ONLY_FIELD", pointer: "/changes/line" }] } }] },
    });
    const removed = await send("POST", "/lines/batch-delete", { ids: ["7,1", "7,%C3%BC%2F."] });
    expect(removed.body.results).toMatchObject([{ id: "7,1" }, { id: "7,%C3%BC%2F." }]);
    expect((await send("GET", "/lines")).body.data).toMatchObject([{ line: "a,b" }]);
  });

  test("operations of a batch reference a row by its id", async () => {
    const { send } = await open();
    const operations = [
      { name: "made", method: "POST", url: "/lines", body: { orderId: 7, line: "a,b", title: "t" } },
      { method: "PATCH", url: "/lines/{made.id}", body: { title: "u" } },
      { method: "GET", url: "/lines/7,a%2Cb" },
    ];
    const answer = await send("POST", "/batch", { operations });
    expect(answer.body).toMatchObject({
      results: [
        { status: 201, id: "7,a%2Cb" },
        { status: 200, data: { title: "u" } },
        { status: 200, data: { title: "u" } },
      ],
    });
  });

  test("code names rows by their parts", async () => {
    const { service } = await open();
    const calls = service.as({ id: "ann" }).lines;
    await calls.create({ orderId: 7, line: "a,b", title: "t" });
    expect(await calls.get([7, "a,b"])).toMatchObject({ title: "t" });
    expect(await calls.update([7, "a,b"], { title: "u" })).toMatchObject({ title: "u" });
    expect(await calls.update([7, "a,b"], ({ title }: { title: string }) => ({ title: `${title}!` }))).toMatchObject({ title: "u!" });
    expect(await calls.replace([7, "c"], { title: "v" })).toMatchObject({ orderId: 7, line: "c", title: "v" });
    await calls.remove([7, "a,b"]);
    await expect(calls.get([7, "a,b"])).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(calls.get([7, "\ud800"])).rejects.toMatchObject({ code: "NOT_FOUND" });
    for (const wrong of [[7], [7, "c", 1], 7, [7, null], { orderId: 7, line: "c" }]) {
      await expect(calls.get(wrong)).rejects.toThrow('An id of "lines" is an array with orderId, line.');
    }
  });

  test("of two writers with one ETag one wins", async () => {
    const { send } = await open();
    const { etag } = await send("POST", "/lines", { orderId: 7, line: "2", title: "t" });
    await send("POST", "/lines", { orderId: 7, line: "3", title: "t" });
    const writers = Array.from({ length: 8 }, (_, index) => send("PATCH", "/lines/7,2", { title: `u${index}` }, undefined, { "if-match": etag }));
    const statuses = (await Promise.all(writers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(7);
    expect((await send("DELETE", "/lines/7,2", undefined, undefined, { "if-match": etag })).status).toBe(412);
    expect(await send("GET", "/lines/7,3")).toMatchObject({ body: { title: "t" } });
  });
}

describeEngines("composite ids of a table", (open, engine) => {
  sharedTests(async () => (await open(lines(table), create)) as unknown as Opened);

  test("a version in a column counts each write", async () => {
    const { send } = await open(
      lines({ ...table, version: { column: "lock_version" } }),
      `create table order_lines (${columns.replace("quantity", "lock_version integer not null default 0, quantity")})`,
    );
    const made = await send("POST", "/lines", { orderId: 7, line: "2", title: "t" });
    const changed = await send("PATCH", "/lines/7,2", { title: "u" }, undefined, { "if-match": made.etag });
    expect(changed.status).toBe(200);
    expect((await send("DELETE", "/lines/7,2", undefined, undefined, { "if-match": made.etag })).status).toBe(412);
    expect((await send("DELETE", "/lines/7,2", undefined, undefined, { "if-match": changed.etag })).status).toBe(204);
  });

  test("the start requires a unique index on the parts", async () => {
    const without = create.replace(", primary key (order_id, line)", "");
    await expect(open(lines(table), without)).rejects.toThrow(
      'the id "orderId", "line" is not unique; choose another field as "id", or run: create unique index on "order_lines" ("order_id", "line");',
    );
  });

  test("a part that the database makes is known after the insert", async () => {
    const number = engine === "postgres" ? "integer generated by default as identity" : "integer not null default (abs(random() % 1000000))";
    const resource = defineResource("lines", { schema, id: ["orderId", "line"], generated: { orderId: "database" }, table });
    const { send } = await open(resource, create.replace("order_id integer not null", `order_id ${number}`));
    const made = await send("POST", "/lines", { line: "a", title: "t" });
    expect(made.status).toBe(201);
    expect(await send("GET", `/lines/${made.body.orderId},a`)).toMatchObject({ status: 200, body: made.body });
    expect((await send("PUT", "/lines/5000000,a", { title: "t" })).status).toBe(404);
    const many = await send("POST", "/lines/batch", { items: ["b", "c"].map((line) => ({ line, title: "t" })) });
    expect(many.body.results.map(({ id, data }: Body["results"][number]) => id === `${data.orderId},${data.line}`)).toEqual([true, true]);
    expect(await send("PUT", `/lines/${made.body.orderId},a`, { ...made.body, title: "u" })).toMatchObject({ status: 200, body: { title: "u" } });
  });
});

describe.each([
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
] as const)("composite ids of an owned table in %s", (_, storage) => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });
  sharedTests(async () => {
    const opened = testService({ storage: storage(), resources: [lines()], use: [batch(), actions(), transfer()] });
    ends.push(opened.close);
    const send: Send = async (method, path, body, tenant, headers = {}) => {
      const answer = await opened.fetch(path, { method, as: { id: "ann", tenant }, ...(body !== undefined && { json: body }), headers });
      const text = await answer.text();
      const isJson = answer.headers.get("content-type")?.includes("json") === true;
      return { status: answer.status, etag: answer.headers.get("etag") ?? "", text, body: isJson ? JSON.parse(text) : undefined };
    };
    return { send, service: opened.service } as unknown as Opened;
  });
});

describe("definitions with a composite id", () => {
  const id = ["orderId", "line"] as const;
  const optional = z.object({ orderId: z.int(), line: z.string().optional() });

  test.each([
    ["the same part twice", () => defineResource("lines", { schema, id: ["orderId", "orderId"] }), "several different names"],
    ["an optional part", () => defineResource("lines", { schema: optional, id }), 'the id "line" cannot be nullable or optional'],
    ["a part that counts", () => defineResource("lines", { schema, id, generated: { orderId: "increment" } }), "no part of a composite one"],
    ["a part that no one sets", () => defineResource("lines", { schema, id, readOnly: ["line"] }), '"line" is read-only and required'],
    ["a stamped part", () => defineResource("lines", { schema, id, stamp: { line: () => "a" } }), '"stamp" names "line", which is part of the id'],
  ])("are refused with %s", (_, define, message) => {
    expect(define).toThrow(message);
  });
});
