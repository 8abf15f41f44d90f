import type { Resource } from "restwright";
import { date, decimal } from "restwright/values";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines, notes } from "../engines.js";

interface Page {
  readonly data: readonly { readonly id: number }[];
  readonly meta: { readonly nextCursor?: string | null };
}

/** As `prisma migrate` makes it: the default is a text, and Prisma itself writes milliseconds. */
const prisma = `create table notes (id integer not null primary key autoincrement, name text not null, "createdAt" datetime not null default current_timestamp)`;

const madeBy = (trigger: string) => `create trigger made after insert on notes begin update notes set ${trigger} where id = new.id; end`;
const madeByUpdates = (trigger: string) =>
  `create trigger changed after update of name on notes begin update notes set ${trigger} where id = new.id; end`;

describeEngines("values that SQLite makes", (open, engine) => {
  if (engine === "postgres") {
    test("are not those of PostgreSQL: instants have no other form there", async () => {
      const shape = { id: z.int(), at: z.date() };
      const columns = { at: { name: "at", as: "mixed", write: "text" } } as const;
      await expect(open(notes({ columns }, shape), "create table notes (id int primary key, at timestamptz not null)")).rejects.toThrow('"at"');
    });
    return;
  }

  test.each<[string, string, z.ZodType, "epoch-ms" | "epoch-s" | undefined, string]>([
    ["current_timestamp", "datetime", z.date(), "epoch-ms", 'say { name: "made", as: "mixed", write: "epoch-ms" } in "table.columns"'],
    ["(datetime('now'))", "integer", z.date(), "epoch-s", "it is not a whole number of seconds"],
    ["(unixepoch())", "datetime", z.date(), undefined, "it is not an instant"],
    ["'soon'", "datetime", z.date(), undefined, "it is not an instant"],
    ["'many'", "integer", z.int(), undefined, "it is a text, not an integer"],
    ["9007199254740993", "integer", z.int(), undefined, "beyond 2^53"],
    ["2", "boolean", z.boolean(), undefined, "not 0 or 1"],
    ["'today'", "date", date(), undefined, "it is not a day"],
    ["'{'", "json", z.json(), undefined, "it is not JSON"],
    ["0.123", "decimal(5, 2)", decimal({ precision: 5, scale: 2 }), undefined, "more than the 2 after the point"],
  ])("the default %s of a column of type %s that its field cannot read is refused by the start", async (value, type, field, as, says) => {
    const columns = as && { made: { name: "made", as } };
    const table = `create table notes (id integer primary key, made ${type} default ${value})`;
    const shape = { id: z.int(), made: field.nullable().optional() };
    await expect(open(notes({ columns }, shape), table)).rejects.toThrow(`notes: the default of the column "made"`);
    await expect(open(notes({ columns }, shape), table)).rejects.toThrow(says);
    const lenient = await open(notes({ columns, unreadable: "null" }, shape), table);
    expect(await lenient.send("POST", "/notes", { id: 1 })).toMatchObject({ status: 201, body: { id: 1, made: null } });
  });

  test.each<[string, string, z.ZodType, "epoch-ms" | undefined]>([
    ["current_timestamp", "datetime", z.date(), undefined],
    ["(unixepoch() * 1000)", "integer", z.date(), "epoch-ms"],
    ["'1769860800000'", "integer", z.date(), "epoch-ms"],
    ["'7'", "integer", z.int(), undefined],
    ["7", "text", z.string(), undefined],
    ["true", "boolean", z.boolean(), undefined],
    ["null", "integer", z.int(), undefined],
    ["'{}'", "json", z.json(), undefined],
  ])("the default %s of a column of type %s is read", async (value, type, field, as) => {
    const columns = as && { made: { name: "made", as } };
    const shape = { id: z.int(), made: field.nullable().optional() };
    const { send } = await open(notes({ columns }, shape), `create table notes (id integer primary key, made ${type} default ${value})`);
    const created = await send("POST", "/notes", { id: 1 });
    expect(created.status, created.text).toBe(201);
    expect(created.body).toEqual((await send("GET", "/notes/1")).body);
  });

  const made: Readonly<Record<string, readonly [type: string, field: z.ZodType, value: string, as?: "epoch-ms"]>> = {
    "a text for milliseconds": ["datetime", z.date(), "datetime('now')", "epoch-ms"],
    "a text for an integer": ["integer", z.int(), "'many'"],
    "a fraction for an integer": ["numeric", z.int(), "0.5"],
    "a UUID in capitals": ["text", z.uuid(), "'A0000000-0000-4000-8000-00000000000A'"],
    "a number beyond 2^53": ["integer", z.int(), "9007199254740993"],
    "a blob for a text": ["text", z.string(), "x'00'"],
    "no JSON": ["json", z.object({ a: z.int() }), "'{'"],
  };

  test.each(Object.entries(made))("a trigger that makes %s is 422 on each way, and nothing is written", async (_, [type, field, value, as]) => {
    const columns = as && { made: { name: "made", as } };
    const resource: Resource = notes({ columns }, { id: z.int(), name: z.string(), made: field.nullable().default(null) });
    const bad = `made = case when new.name = 'bad' then ${value} end`;
    const { send, run, errors } = await open(
      resource,
      `create table notes (id integer not null primary key, name text not null, made ${type})`,
      madeBy(bad),
      madeByUpdates(bad),
    );
    const problem = { status: 422, body: { code: "INVALID_VALUE", errors: [{ pointer: "/made" }] } };
    expect((await send("POST", "/notes", { id: 1, name: "good" })).status).toBe(201);
    expect(await send("POST", "/notes", { id: 2, name: "bad" })).toMatchObject(problem);
    expect(await send("PUT", "/notes/2", { id: 2, name: "bad" })).toMatchObject(problem);
    expect(await send("PUT", "/notes/1", { id: 1, name: "bad" })).toMatchObject(problem);
    expect(await send("PATCH", "/notes/1", { name: "bad" })).toMatchObject(problem);
    const items = [
      { id: 3, name: "good" },
      { id: 4, name: "bad" },
      { id: 5, name: "good" },
    ];
    const batch = await send("POST", "/notes/batch", { items });
    expect(batch.body.results.map(({ status }: { status: number }) => status)).toEqual([201, 422, 201]);
    const imported = await send("POST", "/notes/import?onError=continue", [
      { id: 6, name: "bad" },
      { id: 7, name: "good" },
    ]);
    expect(imported.body.result).toMatchObject({ created: 1, failed: 1 });
    expect(await run("select id, name from notes order by id")).toEqual([1, 3, 5, 7].map((id) => ({ id, name: "good" })));
    expect((await send("GET", "/notes")).body.data).toHaveLength(4);
    expect(errors).toEqual([]);
  });

  describeMixed();

  function describeMixed(): void {
    const rows = [
      `insert into notes values (1, 'a', 1769860800123), (2, 'b', '2026-01-31 12:00:00'), (3, 'c', '2026-01-31T14:00:01+02:00'), (4, 'd', -1)`,
    ];
    const shown = ["2026-01-31T12:00:00.123Z", "2026-01-31T12:00:00.000Z", "2026-01-31T12:00:01.000Z", "1969-12-31T23:59:59.999Z"];
    const shape = { id: z.int(), name: z.string(), createdAt: z.date() };
    const options = { generated: { id: "database", createdAt: "database" } };

    test.each<["epoch-ms" | "text", unknown]>([
      ["epoch-ms", 1769904000500],
      ["text", "2026-02-01T00:00:00.500Z"],
    ])("a mixed column is read in both forms, and written as %s", async (write, expected) => {
      const table = { columns: { createdAt: { name: "createdAt", as: "mixed", write } } } as const;
      const { send, run, errors } = await open(notes(table, shape, { generated: { id: "database" } }), prisma, ...rows);
      const list = async (query: string) => (await send("GET", `/notes?${query}`)).body.data.map(({ id }: { id: number }) => id);
      expect((await send("GET", "/notes?sort=id")).body.data.map(({ createdAt }: { createdAt: string }) => createdAt)).toEqual(shown);
      expect(await list("sort=createdAt")).toEqual([4, 2, 1, 3]);
      expect(await list("sort=-createdAt")).toEqual([3, 1, 2, 4]);
      for (const [index, instant] of shown.entries()) expect(await list(`createdAt=${instant}`)).toEqual([index + 1]);
      expect(await list("createdAt[gt]=2026-01-31T12:00:00Z&sort=id")).toEqual([1, 3]);
      const before = await run(`select "createdAt" from notes order by id`);
      for (const id of [1, 2, 3, 4]) {
        const { body, etag } = await send("GET", `/notes/${id}`);
        const { id: _, ...sent } = body;
        expect((await send("PUT", `/notes/${id}`, sent, undefined, { "if-match": etag })).etag).toBe(etag);
      }
      expect(await run(`select "createdAt" from notes order by id`)).toEqual(before);
      expect((await send("POST", "/notes", { name: "e", createdAt: "2026-02-01T00:00:00.5Z" })).status).toBe(201);
      expect(await run(`select "createdAt" as at from notes where id = 5`)).toEqual([{ at: expected }]);
      const seen: number[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: Page = (await send("GET", `/notes?sort=-createdAt&perPage=1${cursor && `&cursor=${cursor}`}`)).body;
        seen.push(...page.data.map(({ id }) => id));
        cursor = page.meta.nextCursor ?? null;
      }
      expect(seen).toEqual([5, 3, 1, 2, 4]);
      expect(errors).toEqual([]);
    });

    test("a table as Prisma makes it takes its default as mixed", async () => {
      const table = { columns: { createdAt: { name: "createdAt", as: "mixed", write: "epoch-ms" } } } as const;
      const { send, errors } = await open(notes(table, shape, options), prisma);
      const { status, body } = await send("POST", "/notes", { name: "a" });
      expect([status, (await send("GET", "/notes")).body.data]).toEqual([201, [body]]);
      expect(body.createdAt).toMatch(/^20\d\d-.*\.000Z$/);
      expect(errors).toEqual([]);
    });
  }
});

describeEngines("lists with values that a field cannot hold", (open, engine) => {
  if (engine === "postgres") {
    test("name table, column and row", async () => {
      const shape = { id: z.int(), code: z.string(), at: z.date().nullable() };
      const { send, errors } = await open(
        notes({ name: "log" }, shape),
        "create table log (id int primary key, code text not null, at timestamptz)",
        "insert into log values (1, 'a', now()), (7, 'b', 'infinity')",
      );
      for (const query of ["", "?fields=at", "?sort=-at"]) expect((await send("GET", `/notes${query}`)).status).toBe(500);
      for (const error of errors)
        expect(String(error)).toMatch(/notes: "at" cannot be read from the column "at" of the table "log": .* \(the row has the id 7\)/);
    });
    return;
  }

  const values: Readonly<Record<string, readonly [type: string, field: z.ZodType, good: string, bad: string, as?: "epoch-ms" | "mixed"]>> = {
    whole: ["integer", z.int(), "7", "'many'"],
    wide: ["integer", z.int(), "7", "9007199254740993"],
    big: ["bigint", z.bigint(), "7", "7.5"],
    digits: ["integer", z.string(), "7", "x'00'"],
    ratio: ["real", z.number(), "7.5", "'x'"],
    end: ["real", z.number(), "7.5", "9e999"],
    exact: ["decimal(6, 2)", decimal({ precision: 6, scale: 2 }), "7.25", "7.125"],
    flag: ["boolean", z.boolean(), "1", "2"],
    word: ["text", z.string(), "'a'", "x'00'"],
    loose: ["text collate nocase", z.string(), "'a'", "x'00'"],
    day: ["date", date(), "'2026-01-31'", "'2026-02-30'"],
    at: ["datetime", z.date(), "'2026-01-31 12:00:00'", "1769860800123"],
    epoch: ["integer", z.date(), "1769860800123", "'2026-01-31'", "epoch-ms"],
    both: ["datetime", z.date(), "1769860800123", "'soon'", "mixed"],
    doc: ["json", z.object({ a: z.int() }), `'{"a":1}'`, "'{'"],
    blobDoc: ["blob", z.object({ a: z.int() }), `jsonb('{"a":1}')`, "x'00ff'"],
    data: ["blob", z.base64(), "x'00ff'", "'text'"],
  };

  function opened(name: string, unreadable: "fail" | "null") {
    const [type, field, good, bad, as] = values[name] as (typeof values)[string];
    const form = as === "mixed" ? ({ as, write: "epoch-ms" } as const) : as && { as };
    const columns = form && { value: { name: "value", ...form } };
    const resource = notes({ name: "log", unreadable, columns }, { id: z.int(), note: z.string(), value: field.nullable() }, { heavy: [] });
    return open(
      resource,
      `create table log (id integer not null primary key, note text not null, value ${type})`,
      `insert into log values (1, 'a', ${good}), (2, 'a', ${bad}), (3, 'a', null), (4, 'a', ${good}), (5, 'a', ${bad})`,
      "create index by_value on log (value)",
    );
  }

  test.each(Object.keys(values))("fail, and the log names table, column and row: %s", async (name) => {
    const { send, errors } = await opened(name, "fail");
    expect((await send("GET", "/notes")).status).toBe(500);
    expect((await send("GET", "/notes?fields=id,value")).status).toBe(500);
    expect((await send("GET", "/notes/4")).status).toBe(200);
    for (const error of errors) {
      expect(String(error)).toMatch(/notes: "value" cannot be read from the column "value" of the table "log": .* \(the row has the id 2\)/);
    }
  });

  test.each(Object.keys(values))('go on with unreadable: "null", each row once, and keep the values: %s', async (name) => {
    const { send, run, errors } = await opened(name, "null");
    const ids = async (query: string) => (await send("GET", `/notes?${query}`)).body.data.map(({ id }: { id: number }) => id);
    expect(await ids("value[exists]=false&sort=id")).toEqual([2, 3, 5]);
    expect(await ids("value[exists]=true&sort=id")).toEqual([1, 4]);
    if (!/^(?:doc|blobDoc|data|flag)$/.test(name)) {
      for (const sort of ["value", "-value", "value,-id", "-value,id"]) {
        const seen: number[] = [];
        for (let cursor: string | null = ""; cursor !== null; ) {
          const page: Page = (await send("GET", `/notes?sort=${sort}&perPage=1${cursor && `&cursor=${cursor}`}`)).body;
          seen.push(...page.data.map(({ id }) => id));
          cursor = page.meta.nextCursor ?? null;
          expect(seen.length, sort).toBeLessThan(6);
        }
        expect(seen.toSorted(), sort).toEqual([1, 2, 3, 4, 5]);
      }
    }
    const stored = () => run("select typeof(value) as type, quote(value) as value from log where id = 2");
    const before = await stored();
    const { status, body } = await send("PUT", "/notes/2", { id: 2, note: "b", value: null });
    expect([status, body]).toEqual([200, { id: 2, note: "b", value: null }]);
    expect(await stored()).toEqual(before);
    expect(errors).toEqual([]);
  });
});
