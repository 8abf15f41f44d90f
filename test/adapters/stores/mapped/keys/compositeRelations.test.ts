// @long

import { type Authorize, belongsTo, createService, defineResource, type FieldAccess, hasMany, type Resource, within } from "restwright";
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

const mapped: TableOptions = { name: "order_lines", managed: false, casing: "snake_case", version: "hash", tenant: "shared" };
const statements = [
  "create table order_lines (order_id integer not null, line varchar(20) not null, title varchar(100) not null, owner varchar(20), primary key (order_id, line))",
  "create table notes (id integer primary key, order_id integer, line varchar(20), body varchar(100) not null)",
];

type Options = Parameters<typeof belongsTo>[2];

/** Lines of orders, and notes on them. */
function resources(isMapped: boolean, options: Options = {}): readonly Resource[] {
  const lines = defineResource("lines", {
    schema: z.object({ orderId: z.int(), line: z.string(), title: z.string(), owner: z.string().optional() }),
    id: ["orderId", "line"],
    scope: ({ principal }) => principal.id === "ann" || { owner: principal.id },
    ...(isMapped && { table: mapped }),
  });
  const notes = defineResource("notes", {
    schema: z.object({ id: z.int(), orderId: z.int().nullable().optional(), line: z.string().nullable().optional(), body: z.string() }),
    relations: { of: belongsTo("lines", ["orderId", "line"], { filter: ["title", "line"], ...options }) },
    ...(isMapped && { table: { ...mapped, name: "notes" } }),
  });
  return [lines, notes];
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every kind
  readonly body: any;
}

interface Opened {
  send(method: string, path: string, body?: unknown, as?: string): Promise<Answer>;
}

const reference = (pointer: string) => ({ status: 422, body: { code: "UNKNOWN_REFERENCE", errors: [{ code: "UNKNOWN_REFERENCE", pointer }] } });

function sharedTests(open: (options?: Options) => Promise<Opened>): void {
  async function stage(options?: Options): Promise<Opened["send"]> {
    const { send } = await open(options);
    for (const line of ["a,b", "c"]) expect((await send("POST", "/lines", { orderId: 7, line, title: `t ${line}` })).status).toBe(201);
    expect((await send("POST", "/lines", { orderId: 8, line: "c", title: "eight", owner: "bob" })).status).toBe(201);
    return send;
  }

  test("include gives the row, or null if a part of the key is null", async () => {
    const send = await stage();
    for (const [id, line] of ["a,b", "c", null].entries()) await send("POST", "/notes", { id, orderId: 7, line, body: "n" });
    const list = await send("GET", "/notes?include=of&sort=id");
    expect(list.body.data.map(({ of }: { readonly of: unknown }) => of)).toEqual(
      [{ orderId: 7, line: "a,b", title: "t a,b" }, { orderId: 7, line: "c", title: "t c" }, null].map((row) => row && expect.objectContaining(row)),
    );
    expect((await send("GET", "/notes/0?include=of")).body).toMatchObject({ id: 0, of: { title: "t a,b" } });
    // The key of the relation is read, whether it is shown or not.
    expect((await send("GET", "/notes/1?fields=body,of{title}")).body).toEqual({ body: "n", of: { title: "t c" } });
  });

  test("every write names a row that exists", async () => {
    const send = await stage();
    expect(await send("POST", "/notes", { id: 1, orderId: 9, line: "c", body: "n" })).toMatchObject(reference("/orderId"));
    expect(await send("POST", "/notes", { id: 1, orderId: 8, line: "", body: "n" })).toMatchObject(reference("/orderId"));
    expect((await send("POST", "/notes", { id: 1, orderId: 7, line: "a,b", body: "n" })).status).toBe(201);
    // One field of the key is enough to name another row.
    expect(await send("PATCH", "/notes/1", { orderId: 8 })).toMatchObject(reference("/orderId"));
    expect(await send("PATCH", "/notes/1", { line: "d" })).toMatchObject(reference("/orderId"));
    expect(await send("PATCH", "/notes/1", { line: "c" })).toMatchObject({ status: 200, body: { orderId: 7, line: "c" } });
    expect(await send("PATCH", "/notes/1", { orderId: 8 })).toMatchObject({ status: 200, body: { orderId: 8, line: "c" } });
    expect((await send("PATCH", "/notes/1", { body: "m" })).status).toBe(200);
    expect(await send("PUT", "/notes/1", { id: 1, orderId: 8, line: "a,b", body: "n" })).toMatchObject(reference("/orderId"));
    expect((await send("PUT", "/notes/1", { id: 1, orderId: 8, body: "n" })).status).toBe(200);
    expect(await send("PATCH", "/notes/1", { line: "x" })).toMatchObject(reference("/orderId"));
    expect((await send("PATCH", "/notes/1", { line: "c" })).status).toBe(200);
  });

  test("a principal cannot name a row outside of its scope", async () => {
    const send = await stage();
    expect(await send("POST", "/notes", { id: 1, orderId: 7, line: "c", body: "n" }, "bob")).toMatchObject(reference("/orderId"));
    expect((await send("POST", "/notes", { id: 1, orderId: 8, line: "c", body: "n" }, "bob")).status).toBe(201);
    expect(await send("PATCH", "/notes/1", { orderId: 7 }, "bob")).toMatchObject(reference("/orderId"));
    await send("POST", "/notes", { id: 2, orderId: 7, line: "c", body: "n" });
    const list = await send("GET", "/notes?include=of&sort=id", undefined, "bob");
    expect(list.body.data).toMatchObject([{ of: { title: "eight" } }, { of: null }]);
    // What a row names already may stay.
    expect((await send("PATCH", "/notes/2", { orderId: 7, line: "c", body: "m" }, "bob")).status).toBe(200);
  });

  test("lists are filtered over the relation", async () => {
    const send = await stage();
    for (const [id, [orderId, line]] of (
      [
        [7, "a,b"],
        [8, "c"],
        [7, "c"],
        [null, "c"],
      ] as const
    ).entries())
      await send("POST", "/notes", { id, orderId, line, body: "n" });
    const ids = async (query: string) => (await send("GET", `/notes?sort=id&${query}`)).body.data.map(({ id }: { readonly id: number }) => id);
    expect(await ids("of.title=eight")).toEqual([1]);
    expect(await ids("of.line=c")).toEqual([1, 2]);
    expect(await ids("of.title[ne]=eight")).toEqual([0, 2, 3]);
    expect(await ids("has=of.title")).toEqual([0, 1, 2]);
    expect(await ids("of.title=nothing")).toEqual([]);
  });

  test("a condition on the related rows may match many of them", async () => {
    const { send } = await open();
    const items = Array.from({ length: 900 }, (_, index) => ({ orderId: index, line: `l${index % 7}`, title: "many" }));
    expect((await send("POST", "/lines/batch", { items })).status).toBe(200);
    for (const id of [0, 500, 899]) await send("POST", "/notes", { id, orderId: id, line: `l${id % 7}`, body: "n" });
    expect((await send("GET", "/notes?of.title=many&sort=id")).body.data.map(({ id }: { readonly id: number }) => id)).toEqual([0, 500, 899]);
  });

  test("a row that is named stays", async () => {
    const send = await stage();
    await send("POST", "/notes", { id: 1, orderId: 7, line: "c", body: "n" });
    expect(await send("DELETE", "/lines/7,c")).toMatchObject({ status: 409, body: { code: "ROW_IN_USE" } });
    const many = await send("POST", "/lines/batch-delete", { ids: ["7,a%2Cb", "7,c", "8,c"] });
    expect(many.body.results).toMatchObject([{ status: 204 }, { status: 409 }, { status: 204 }]);
    expect((await send("PATCH", "/notes/1", { line: null })).status).toBe(200);
    expect((await send("DELETE", "/lines/7,c")).status).toBe(204);
  });

  test.each([
    ["cascade", [{ id: 2 }]],
    [
      "setNull",
      [
        { id: 1, orderId: null, line: null },
        { id: 2, orderId: 7, line: "a,b" },
        { id: 3, orderId: null, line: null },
      ],
    ],
  ] as const)("a delete of the row that is named does what onDelete: %s says", async (onDelete, left) => {
    const send = await stage({ onDelete });
    for (const [id, orderId, line] of [
      [1, 7, "c"],
      [2, 7, "a,b"],
      [3, 8, "c"],
    ] as const)
      await send("POST", "/notes", { id, orderId, line, body: "n" });
    expect((await send("DELETE", "/lines/7,c")).status).toBe(204);
    expect((await send("POST", "/lines/batch-delete", { ids: ["8,c", "9,c"] })).body.results).toMatchObject([{ status: 204 }, { status: 404 }]);
    expect((await send("GET", "/notes?sort=id")).body.data).toMatchObject(left);
  });

  test("batches and imports check each row, and operations name rows that the batch makes", async () => {
    const send = await stage();
    const made = await send("POST", "/notes/batch", {
      items: [
        { id: 1, orderId: 7, line: "c", body: "n" },
        { id: 2, orderId: 7, line: "d", body: "n" },
      ],
    });
    expect(made.body.results).toMatchObject([{ status: 201 }, { status: 422, error: { code: "UNKNOWN_REFERENCE" } }]);
    const updated = await send("PATCH", "/notes/batch", {
      items: [
        { id: 1, changes: { orderId: 8 } },
        { id: 1, changes: { line: "a,b" } },
      ],
    });
    expect(updated.body.results).toMatchObject([{ status: 200 }, { status: 422 }]);
    const operations = [
      { name: "line", method: "POST", url: "/lines", body: { orderId: 5, line: "x", title: "new" } },
      { method: "POST", url: "/notes", body: { id: 3, orderId: { $result: "line.data.orderId" }, line: { $result: "line.data.line" }, body: "n" } },
    ];
    expect((await send("POST", "/batch", { operations })).body.results).toMatchObject([{ status: 201 }, { status: 201 }]);
    expect((await send("GET", "/notes/3?include=of")).body).toMatchObject({ of: { title: "new" } });
    const imported = await send("POST", "/notes/import", "id,orderId,line,body\n4,7,c,n\n5,7,d,n\n");
    expect(imported.body).toMatchObject({
      result: { created: 1, failed: 1 },
      errors: [{ row: 2, code: "UNKNOWN_REFERENCE" }],
    });
    expect(JSON.stringify(imported.body.errors)).toContain('"field":"orderId"');
    const merged = await send("POST", "/notes/import?mode=update&key=id", 'id,line\n3,d\n4,"a,b"\n');
    expect(merged.body).toMatchObject({ result: { updated: 1, failed: 1 } });
    expect((await send("GET", "/notes/4")).body).toMatchObject({ orderId: 7, line: "a,b" });
  });
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

describeEngines("relations by composite ids of tables", (open) => {
  sharedTests(async (options) => {
    const opened = await open({ resources: resources(true, options), authorize: () => true }, ...statements);
    return { send: (method, path, body, as) => sendTo(opened.fetch, method, path, body, as) };
  });
});

describe.each([
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
] as const)("relations by composite ids in %s", (_, storage) => {
  sharedTests(async (options) => {
    const opened = testService({ storage: storage(), resources: resources(false, options), use: [batch(), actions(), transfer()] });
    ends.push(opened.close);
    return { send: (method, path, body, as) => sendTo(opened.fetch, method, path, body, as) };
  });

  test("code includes the row, and changes one field of the key", async () => {
    const [lines, notes] = typedResources();
    const service = createService({ resources: [lines, notes], storage: storage() });
    ends.push(() => service.close());
    const calls = service.as({ id: "ann" });
    await calls.lines.create({ orderId: 7, line: "a", title: "t" });
    await calls.notes.create({ id: 1, orderId: 7, line: "a" });
    expect((await calls.notes.get(1, { include: ["of"] })).of?.title).toBe("t");
    await expect(calls.notes.update(1, { line: "b" })).rejects.toMatchObject({ code: "UNKNOWN_REFERENCE" });
    await service.as({ id: "ann" }).transaction(async (tx) => {
      await tx.lines.create({ orderId: 7, line: "b", title: "u" });
      await tx.notes.update(1, { line: "b" });
    });
    expect((await calls.notes.get(1, { include: ["of"] })).of).toEqual({ orderId: 7, line: "b", title: "u" });
  });
});

function typedResources() {
  const lines = defineResource("lines", { schema: z.object({ orderId: z.int(), line: z.string(), title: z.string() }), id: ["orderId", "line"] });
  const notes = defineResource("notes", {
    schema: z.object({ id: z.int(), orderId: z.int(), line: z.string() }),
    relations: { of: belongsTo("lines", ["orderId", "line"]) },
  });
  return [lines, notes] as const;
}

describe("a principal that may not read a field of the key", () => {
  const lines = defineResource("lines", { schema: z.object({ orderId: z.int(), line: z.string(), title: z.string() }), id: ["orderId", "line"] });
  const notes = (access: Readonly<Record<string, unknown>>) =>
    defineResource("notes", {
      schema: z.object({ id: z.int(), orderId: z.int(), line: z.string() }),
      access: access as Readonly<Record<"line", FieldAccess>>,
      relations: { of: belongsTo("lines", ["orderId", "line"], { filter: ["title"] }) },
    });

  async function stage(access: Readonly<Record<string, unknown>>, authorize?: Authorize) {
    const opened = testService({ storage: memoryStorage(), resources: [lines, notes(access)], authorize });
    ends.push(opened.close);
    const system = opened.service.asSystem() as unknown as Record<string, { create(row: unknown): Promise<unknown> }>;
    await system["lines"]?.create({ orderId: 7, line: "c", title: "t" });
    await system["notes"]?.create({ id: 1, orderId: 7, line: "c" });
    return (path: string, as?: string) => sendTo(opened.fetch, "GET", path, undefined, as);
  }

  test.each(["orderId", "line"])("by its rule finds no relation (%s)", async (field) => {
    const get = await stage({ [field]: { read: ({ id }: { readonly id: string }) => id === "ann" } });
    expect((await get("/notes?include=of&of.title=t")).body.data).toMatchObject([{ of: { title: "t" } }]);
    expect(await get("/notes?include=of", "bob")).toMatchObject({ status: 400, body: { errors: [{ code: "UNKNOWN_RELATION" }] } });
    expect(await get("/notes?of.title=t", "bob")).toMatchObject({ status: 400, body: { errors: [{ code: "UNKNOWN_FIELD" }] } });
    expect(await get("/notes?has=of.title", "bob")).toMatchObject({ status: 400, body: { errors: [{ code: "UNKNOWN_FIELD" }] } });
  });

  test.each(["orderId", "line"])("by authorize may not follow it (%s)", async (field) => {
    const allowed = ["id", "orderId", "line", "title"].filter((each) => each !== field);
    const get = await stage({}, ({ principal, collection }) => principal.id === "ann" || (collection === "notes" ? { fields: allowed } : true));
    expect((await get("/notes?include=of&of.title=t")).body.data).toMatchObject([{ of: { title: "t" } }]);
    for (const query of ["include=of", "of.title=t", "has=of.title"])
      expect(await get(`/notes?${query}`, "bob")).toMatchObject({ status: 403, body: { errors: [{ code: "FORBIDDEN_FIELD" }] } });
  });
});

type Fetch = ReturnType<typeof testService>["fetch"];

async function sendTo(fetch: Fetch, method: string, path: string, body: unknown, as = "ann"): Promise<Answer> {
  const given = typeof body === "string" ? { body, headers: { "content-type": "text/csv" } } : body === undefined ? {} : { json: body };
  const answer = await fetch(path, { method, as: { id: as }, ...given });
  const text = await answer.text();
  return { status: answer.status, body: answer.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text };
}

describe("a relation by a composite id is refused", () => {
  const lines = defineResource("lines", { schema: z.object({ orderId: z.int(), line: z.string() }), id: ["orderId", "line"] });
  const schema = z.object({ id: z.int(), orderId: z.int(), line: z.string(), part: z.string().nullable() });
  const notes = (foreignKey: unknown, options: Options = {}) =>
    defineResource("notes", { schema, relations: { of: belongsTo("lines", foreignKey as never, options) } });

  test.each([
    ["with too few fields", () => [lines, notes("line")], 'the relation "of" needs a field for each part of the id of "lines": orderId, line'],
    ["with too many fields", () => [lines, notes(["orderId", "line", "part"])], 'the relation "of" needs a field for each part of the id of "lines"'],
    ["with fields of other types", () => [lines, notes(["line", "orderId"])], '"line" cannot hold an id of "lines": their types differ'],
    ["with an unknown field", () => [lines, notes(["orderId", "number"])], '"relations" names "number"; the schema has'],
    ["with no fields", () => [lines, notes([])], "needs a field for each part"],
    [
      "that sets a field to null which is not nullable",
      () => [lines, notes(["orderId", "part"], { onDelete: "setNull" })],
      'says "onDelete: setNull", but "orderId,part" is not nullable',
    ],
    [
      "that leads to many rows",
      () => [
        defineResource("lines", { schema: lines.schema, id: ["orderId", "line"], relations: { notes: hasMany("notes", "line") } }),
        notes(["orderId", "line"]),
      ],
      'the relation "notes" needs a field for each part of the id of "lines": orderId, line; only belongsTo has several.',
    ],
    [
      "that leads to many rows by several fields",
      () => [
        defineResource("lines", {
          schema: lines.schema,
          id: ["orderId", "line"],
          relations: { notes: hasMany("notes", ["orderId", "line"] as never) },
        }),
        notes(["orderId", "line"]),
      ],
      "only belongsTo has several",
    ],
  ])("%s", (_, define, message) => {
    expect(() => createService({ resources: define() as readonly Resource[], storage: memoryStorage() })).toThrow(message);
  });

  test("in within, which follows one key", async () => {
    const scoped = defineResource("notes", {
      schema,
      relations: { of: belongsTo("lines", ["orderId", "line"]) },
      scope: () => within("of"),
    });
    const errors: unknown[] = [];
    const opened = testService({ storage: memoryStorage(), resources: [lines, scoped], onError: (error) => void errors.push(error) });
    ends.push(opened.close);
    expect((await opened.fetch("/notes", { as: { id: "ann" } })).status).toBe(500);
    expect(String(errors[0])).toContain('within("of") names no belongsTo relation with one foreign key; there are: none.');
  });
});
