import { sqliteStorage } from "restwright/sqlite";
import { bytes } from "restwright/values";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineResource } from "../../../../src/engine/resource/define/define.js";
import type { Resource } from "../../../../src/engine/resource/resource.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import type { TableOptions } from "../../../../src/ground/storage/tableOptions.js";
import { testService } from "../../../../src/testing/testService.js";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

const shared = { managed: false, version: "hash", tenant: "shared" } as const;

function service(storage: Storage, resource: Resource) {
  const started = testService({ storage, resources: [resource], authorize: () => true });
  opened.push(started, { close: async () => storage.close?.() });
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await started.fetch(path, { method, as: { id: "ann" }, ...(body !== undefined && { json: body }), headers });
    const text = await answer.text();
    return { status: answer.status, etag: answer.headers.get("etag") ?? "", body: text === "" ? undefined : JSON.parse(text) };
  };
  return { ...started, send };
}

async function database(...statements: readonly string[]): Promise<Storage> {
  const storage = sqliteStorage({ path: ":memory:" });
  await run(storage, ...statements);
  return storage;
}

async function run(storage: Storage, ...statements: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
  let rows: readonly Readonly<Record<string, unknown>>[] = [];
  await storage.transaction?.(async (tx) => {
    for (const text of statements) rows = (await tx.sql?.(text, [])) ?? [];
  });
  return rows;
}

function notes(table: Partial<TableOptions>, shape: Readonly<Record<string, z.ZodType>>): Resource {
  return defineResource("notes", {
    schema: z.object({ id: z.int(), ...shape }),
    generated: { id: "database" },
    table: { name: "notes", ...shared, ...table },
  });
}

describe("values of SQLite", () => {
  test.each([
    ["2026-01-31 12:00:00", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31T12:00:00.123Z", "2026-01-31T12:00:00.123Z"],
    ["2026-01-31 12:00:00.123456", "2026-01-31T12:00:00.123Z"],
    ["2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00.000Z"],
    ["2026-01-31", "2026-01-31T00:00:00.000Z"],
  ])("the instant %s is shown as %s, is found by it, and stays as it is when it is sent back", async (stored, shown) => {
    const storage = await database("create table notes (id integer primary key, at datetime not null)", `insert into notes values (1, '${stored}')`);
    const { send } = service(storage, notes({}, { at: z.iso.datetime() }));
    const got = await send("GET", "/notes/1");
    expect(got.body).toEqual({ id: 1, at: shown });
    expect((await send("GET", `/notes?at=${shown}`)).body.data).toHaveLength(1);
    const put = await send("PUT", "/notes/1", { at: shown }, { "if-match": got.etag });
    expect([put.status, put.etag]).toEqual([200, got.etag]);
    expect(await run(storage, "select at from notes")).toEqual([{ at: stored }]);
  });

  test("texts without a zone mean the zone of the table, and are written without one", async () => {
    const storage = await database(
      "create table notes (id integer primary key, at text not null)",
      "insert into notes values (1, '2026-01-31 12:00:00')",
    );
    const { send } = service(storage, notes({ zone: "+02:00" }, { at: z.iso.datetime() }));
    expect((await send("GET", "/notes/1")).body.at).toBe("2026-01-31T10:00:00.000Z");
    expect((await send("POST", "/notes", { at: "2026-01-31T23:30:00Z" })).status).toBe(201);
    expect(await run(storage, "select at from notes where id = 2")).toEqual([{ at: "2026-02-01 01:30:00.000" }]);
    expect((await send("GET", "/notes?at__gt=2026-01-31T11:00:00Z")).body.data).toHaveLength(1);
  });

  test("instants are numbers of seconds or milliseconds where the mapping says so", async () => {
    const storage = await database(
      "create table notes (id integer primary key, ms integer not null, s integer not null)",
      "insert into notes values (1, 1769860800123, 1769860800)",
    );
    const columns = { ms: { name: "ms", as: "epoch-ms" }, s: { name: "s", as: "epoch-s" } } as const;
    const { send } = service(storage, notes({ columns }, { ms: z.iso.datetime(), s: z.iso.datetime() }));
    expect((await send("GET", "/notes/1")).body).toEqual({ id: 1, ms: "2026-01-31T12:00:00.123Z", s: "2026-01-31T12:00:00.000Z" });
    expect((await send("GET", "/notes?s=2026-01-31T12:00:00.500Z")).body.data).toEqual([]);
    expect((await send("GET", "/notes?s__lt=2026-01-31T12:00:00.500Z")).body.data).toHaveLength(1);
    await send("POST", "/notes", { ms: "1969-12-31T23:59:59.500Z", s: "1969-12-31T23:59:59.500Z" });
    expect(await run(storage, "select ms, s from notes where id = 2")).toEqual([{ ms: -500, s: -1 }]);
  });

  test("a value of another storage class fails, or is null where the mapping says so", async () => {
    const statements = ["create table notes (id integer primary key, size integer)", "insert into notes values (1, 'many')"];
    const strict = service(await database(...statements), notes({}, { size: z.int().nullable() }));
    expect((await strict.send("GET", "/notes/1")).status).toBe(500);
    expect(String(strict.errors[0])).toContain('"size" cannot be read from the column "size"');
    const lenient = service(await database(...statements), notes({ unreadable: "null" }, { size: z.int().nullable() }));
    expect((await lenient.send("GET", "/notes/1")).body).toEqual({ id: 1, size: null });
  });

  test("integers of 64 bits are exact, and beyond 2^53 they fail for an int", async () => {
    const storage = await database(
      "create table notes (id integer primary key, big bigint not null)",
      "insert into notes values (1, 9007199254740993)",
    );
    const exact = service(storage, notes({}, { big: z.bigint() }));
    expect((await exact.send("GET", "/notes/1")).body.big).toBe("9007199254740993");
  });

  test("pages follow the collation of a column and meet each row once", async () => {
    const names = ["b", "A", "a", "B", "ä", "Z", "_", "c", "C"];
    const storage = await database(
      "create table notes (id integer primary key, name text not null collate nocase)",
      "create index by_name on notes (name)",
      ...names.map((name, index) => `insert into notes values (${index + 1}, '${name}')`),
    );
    const { send } = service(storage, notes({}, { name: z.string() }));
    const expected = (await run(storage, "select name from notes order by name, id")).map(({ name }) => name);
    const met: unknown[] = [];
    for (let path = "/notes?sort=name&perPage=2"; path !== ""; ) {
      const { body } = await send("GET", path);
      met.push(...body.data.map((item: { name: string }) => item.name));
      path = body.meta.nextCursor === undefined || body.meta.nextCursor === null ? "" : `/notes?sort=name&perPage=2&cursor=${body.meta.nextCursor}`;
    }
    expect(met).toEqual(expected);
    expect((await send("GET", "/notes?name=B")).body.data).toHaveLength(2);
    expect((await send("GET", "/notes?name__like=B*")).body.data).toHaveLength(2);
  });

  test("blobs are base64, and JSON is text or a blob", async () => {
    const storage = await database(
      "create table notes (id integer primary key, data blob not null, doc json not null)",
      `insert into notes values (1, x'00ff', '{"a":1}'), (2, x'', jsonb('{"a":2}'))`,
    );
    const { send } = service(storage, notes({}, { data: z.string(), doc: z.object({ a: z.int() }) }));
    expect((await send("GET", "/notes/1")).body).toEqual({ id: 1, data: "AP8=", doc: { a: 1 } });
    expect((await send("GET", "/notes/2")).body).toEqual({ id: 2, data: "", doc: { a: 2 } });
    expect((await send("POST", "/notes", { data: "", doc: { a: 3 } })).status).toBe(201);
    expect(await run(storage, "select typeof(data) as t, length(data) as n from notes where id = 3")).toEqual([{ t: "blob", n: 0 }]);
  });
});

describe("ids on SQLite", () => {
  const resource = (id: "id" | readonly ["a", "b"]) =>
    defineResource("notes", {
      schema: z.object(id === "id" ? { id: z.string(), n: z.int() } : { a: z.string(), b: z.int(), n: z.int() }),
      id,
      table: { name: "notes", ...shared },
    } as Parameters<typeof defineResource>[1]);

  test.each([
    ["id", "id text primary key, n int not null", "('x', 1), (null, 2), (null, 3)", "x"],
    [["a", "b"], "a text, b int, n int not null, primary key (a, b)", "('x', 1, 1), (null, 2, 2), ('y', null, 3)", "x,1"],
  ] as const)("may be a primary key that is not declared as not null; rows without %s are left out", async (id, columns, values, path) => {
    const storage = await database(`create table notes (${columns})`, `insert into notes values ${values}`);
    const { send } = service(storage, resource(id));
    expect((await send("GET", "/notes?count=exact")).body).toMatchObject({ data: [{ n: 1 }], meta: { total: 1 } });
    expect((await send("GET", "/notes?sort=-n")).body.data).toHaveLength(1);
    expect(await send("PATCH", `/notes/${path}`, { n: 7 })).toMatchObject({ status: 200, body: { n: 7 } });
    expect((await send("DELETE", `/notes/${path}`)).status).toBe(204);
    expect(await run(storage, "select n from notes order by n")).toEqual([{ n: 2 }, { n: 3 }]);
  });

  test("are no other column that may be null", async () => {
    const storage = await database("create table notes (id text unique, n int not null)");
    const { service: started } = service(storage, resource("id"));
    await expect(started.start()).rejects.toThrow('the field "id" is an id, but the column "id" may be null; choose another field as "id".');
  });
});

describe("what SQLite refuses", () => {
  const shape = { code: z.string().optional(), size: z.int().nullable().optional(), parent: z.int().nullable().optional() };
  const start = async (table: Partial<TableOptions> = {}) => {
    const storage = await database(
      "create table parents (id integer primary key)",
      `create table notes (id integer primary key, code text not null default 'x' unique on conflict replace, size integer, parent integer references parents,
         constraint small check (size < 10), check (size <> 5))`,
      "create table children (id integer primary key, note integer not null references notes)",
      "create trigger no_seven before insert on notes when new.size = 7 begin select raise(abort, 'seven is not allowed'); end",
      "create trigger no_six before update on notes when new.size = 6 begin select raise(ignore); end",
      "insert into parents values (1)",
      "insert into notes (id, code) values (1, 'a')",
      "insert into children values (1, 1)",
    );
    return { storage, ...service(storage, notes({ constraints: { small: { field: "size", detail: "Must be below 10." } }, ...table }, shape)) };
  };

  test.each([
    ["a taken key, although the constraint would replace the other row", { code: "a" }, 422, "DUPLICATE_CODE"],
    ["a check that the mapping explains", { code: "b", size: 10 }, 422, "REFUSED_BY_DATABASE"],
    ["a check that it does not", { code: "b", size: 5 }, 422, "REFUSED_BY_DATABASE"],
    ["a foreign key", { code: "b", parent: 9 }, 422, "UNKNOWN_REFERENCE"],
    ["a trigger that raises", { code: "b", size: 7 }, 422, "REFUSED_BY_DATABASE"],
  ])("%s is %o → %i %s", async (_name, body, status, code) => {
    const { send } = await start();
    const answer = await send("POST", "/notes", body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect((await send("GET", "/notes")).body.data).toHaveLength(1);
  });

  test("a trigger that ignores a write, and rows that others name", async () => {
    const { send } = await start();
    const ignored = await send("PATCH", "/notes/1", { size: 6 });
    expect([ignored.status, ignored.body.code]).toEqual([422, "REFUSED_BY_DATABASE"]);
    const used = await send("DELETE", "/notes/1");
    expect([used.status, used.body.code]).toEqual([409, "ROW_IN_USE"]);
  });

  test("the text of a trigger is shown where the mapping says so", async () => {
    const { send } = await start({ showRaised: true });
    expect(JSON.stringify((await send("POST", "/notes", { code: "b", size: 7 })).body)).toContain("seven is not allowed");
  });
});

describe("versions on SQLite", () => {
  test("a tag fits only the values that it was made from, and what stands after a NUL is part of them", async () => {
    const storage = await database(
      "create table notes (id integer primary key, name text not null)",
      "insert into notes values (1, 'a' || char(0) || 'b')",
    );
    const { send } = service(storage, notes({}, { name: z.string() }));
    const first = await send("GET", "/notes/1");
    await run(storage, "update notes set name = 'a' || char(0) || 'c'");
    expect((await send("PATCH", "/notes/1", { name: "x" }, { "if-match": first.etag })).status).toBe(412);
    const second = await send("GET", "/notes/1");
    expect(second.etag).not.toBe(first.etag);
    expect((await send("PATCH", "/notes/1", { name: "x" }, { "if-match": second.etag })).status).toBe(200);
  });

  /** Each differs from the one before by what a driver or a collation may hide. */
  const changes: readonly (readonly [column: string, values: readonly string[]])[] = [
    ["name text not null default '' collate nocase", ["'a'", "'A'", "'a '", "'a' || char(0)", "'a' || char(0) || 'b'", "''"]],
    ["name datetime", ["'2026-01-31 12:00:00.1234'", "'2026-01-31 12:00:00.1235'", "'2026-01-31T12:00:00.1235'", "null"]],
    ["name text", ["'{\"a\":1}'", "'{\"a\": 1}'", `jsonb('{"a":1}')`, "'null'", "null"]],
    ["name blob", ["x''", "x'00'", "x'0000'", "null"]],
    ["name real not null default 0", ["0.1", "0.1 + 1e-17", "1.0", "1e300"]],
    ["name bigint not null default 0", ["9007199254740993", "9007199254740992", "-9223372036854775808"]],
  ];
  const fields = [z.string(), z.iso.datetime().nullable(), z.json(), bytes({ maxBytes: 10 }).nullable(), z.number(), z.bigint()];
  const written = ["x", "2026-02-01T00:00:00.000Z", { b: 2 }, "eA==", 2.5, "7"];

  test.each(changes.map((change, index) => [...change, fields[index], written[index]] as const))(
    "each value of %s has a tag of its own, under which it can be written: %o",
    async (column, values, field, value) => {
      const storage = await database(
        `create table notes (id integer primary key, ${column}, deleted_at integer)`,
        "insert into notes (id) values (1)",
      );
      const { send } = service(storage, notes({ softDelete: { column: "deleted_at", as: "epoch-ms" } }, { name: field as z.ZodType }));
      const shown = (text: string) => run(storage, `update notes set name = ${text}`).then(() => send("GET", "/notes/1"));
      const tags: string[] = [];
      for (const text of values) {
        const { status, etag } = await shown(text);
        expect(status, text).toBe(200);
        const late = tags.at(-1);
        expect(tags, text).not.toContain(etag);
        if (late !== undefined) expect((await send("PATCH", "/notes/1", { name: value }, { "if-match": late })).status, text).toBe(412);
        tags.push(etag);
      }
      for (const [index, text] of values.entries()) {
        expect((await shown(text)).etag, text).toBe(tags[index]);
        const patched = await send("PATCH", "/notes/1", { name: value }, { "if-match": tags[index] ?? "" });
        expect(patched.status, text).toBe(200);
        expect(await send("GET", "/notes/1?fields=name"), text).toMatchObject({ body: { name: value } });
        expect((await send("GET", "/notes/1")).etag, text).toBe(patched.etag);
      }
    },
  );

  test.each([
    [{ version: "xmin" as const }, 'version "xmin" does not exist for this database; say version: "hash"'],
    [{ version: { column: "changed" } }, "must be an integer"],
    [{ zone: "Europe/Berlin" }, 'on SQLite it is "UTC" or an offset'],
    [{ softDelete: { column: "id" } }, "it needs a timestamp or a boolean"],
  ])("%o cannot start", async (table, message) => {
    const storage = await database(
      "create table notes (id integer primary key, at text not null, changed datetime not null default current_timestamp)",
    );
    const started = service(storage, notes(table, { at: z.iso.datetime() }));
    await expect(started.service.start()).rejects.toThrow(message);
  });

  test("a trigger that would end the transaction of the service cannot start", async () => {
    const storage = await database(
      "create table notes (id integer primary key)",
      "create trigger t before insert on notes begin select raise(rollback, 'no'); end",
    );
    await expect(service(storage, notes({}, {})).service.start()).rejects.toThrow("use RAISE(ABORT, …)");
  });
});
