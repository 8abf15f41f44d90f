import { defineResource } from "restwright";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines } from "../engines.js";

const lines = defineResource("lines", {
  schema: z.object({ id: z.int(), pieces: z.int(), double: z.int().nullable() }),
  generated: { double: "database" },
  table: { name: "lines", managed: false, version: "hash", tenant: "shared" },
});

describeEngines("values that the database computes", (open, engine) => {
  test("a row whose computed value no field can hold is 422 on each way, and is not written", async () => {
    const columns = "id bigint not null primary key, pieces bigint not null, double bigint generated always as (pieces * 2) stored";
    const { send, run } = await open(lines, `create table lines (${columns})`);
    const pieces = Number.MAX_SAFE_INTEGER;
    expect(await send("POST", "/lines", { id: 1, pieces: 1 })).toMatchObject({ status: 201, body: { double: 2 } });
    for (const [method, path, body] of [
      ["POST", "/lines", { id: 2, pieces }],
      ["PUT", "/lines/2", { id: 2, pieces }],
      ["PUT", "/lines/1", { id: 1, pieces }],
      ["PATCH", "/lines/1", { pieces }],
    ] as const) {
      const { status, body: problem } = await send(method, path, body);
      expect([status, problem.code, problem.detail]).toEqual([422, "INVALID_VALUE", 'The value of "double" is out of range.']);
    }
    const items = [3, 4, 5].map((id) => ({ id, pieces: id === 4 ? pieces : id }));
    const batch = await send("POST", "/lines/batch", { items });
    expect(batch.body.results.map(({ status }: { status: number }) => status)).toEqual([201, 422, 201]);
    const imported = await send("POST", "/lines/import?onError=continue", [
      { id: 6, pieces },
      { id: 7, pieces: 7 },
    ]);
    expect(imported.body.result).toMatchObject({ created: 1, failed: 1 });
    expect((await run("select id from lines order by id")).map(({ id }) => Number(id))).toEqual([1, 3, 5, 7]);
    expect((await send("GET", "/lines/1")).body).toEqual({ id: 1, pieces: 1, double: 2 });
  });

  if (engine === "postgres")
    test("values of each type that may be unreadable come from defaults", async () => {
      const optional = <S extends z.ZodType>(schema: S) => schema.optional();
      const filled = defineResource("filled", {
        schema: z.object({
          id: z.int(),
          ...{ day: optional(z.iso.date()), at: optional(z.date()), local: optional(z.date()), text: optional(z.iso.datetime()) },
          ...{
            real: optional(z.number()),
            exact: optional(z.number()),
            big: optional(z.int()),
            bigint: optional(z.bigint()),
            days: optional(z.array(z.iso.date())),
          },
        }),
        table: { name: "filled", managed: false, version: "hash", tenant: "shared", zone: "UTC" },
      });
      const columns = [
        ...["id int primary key", "day date not null default '2026-01-05'", "at timestamptz not null default '2026-01-05 10:00Z'"],
        ...[
          "local timestamp not null default '2026-01-05 10:00'",
          "text timestamptz not null default '2026-01-05 10:00Z'",
          "real float4 not null default 1.5",
        ],
        ...[
          "exact numeric(6, 2) not null default 2.25",
          "big bigint not null default 7",
          "bigint bigint not null default 8",
          "days date[] not null default '{2026-01-05}'",
        ],
      ];
      const { send, errors } = await open(filled, `create table filled (${columns.join(", ")})`);
      const instant = "2026-01-05T10:00:00.000Z";
      const values = {
        day: "2026-01-05",
        at: instant,
        local: instant,
        text: instant,
        real: 1.5,
        exact: 2.25,
        big: 7,
        bigint: "8",
        days: ["2026-01-05"],
      };
      expect(await send("POST", "/filled", { id: 1 })).toMatchObject({ status: 201, body: { id: 1, ...values } });
      expect(await send("PATCH", "/filled/1", { real: 2.5 })).toMatchObject({ status: 200, body: { ...values, real: 2.5 } });
      expect((await send("POST", "/filled/batch", { items: [{ id: 2 }, { id: 3 }] })).body.results).toMatchObject([
        { data: values },
        { data: values },
      ]);
      expect(errors).toEqual([]);
    });

  if (engine === "postgres")
    test("a row whose default or trigger makes such a value is not written either", async () => {
      const table = { managed: false, version: "hash", tenant: "shared" } as const;
      const points = defineResource("points", {
        schema: z.object({ id: z.int(), x: z.number().optional(), at: z.date().optional() }),
        table: { ...table, name: "points" },
      });
      const trigger = "if new.x = 13 then new.at = 'infinity'; end if; return new;";
      const { send, run, errors } = await open(
        points,
        "create table points (id int primary key, x double precision not null default 'NaN', at timestamptz not null default now())",
        `create function unlucky() returns trigger language plpgsql as $$begin ${trigger} end$$`,
        "create trigger unlucky before insert or update on points for each row execute function unlucky()",
      );
      const problem = (field: string) => ({ status: 422, body: { code: "INVALID_VALUE", detail: `The value of "${field}" is out of range.` } });
      expect(await send("POST", "/points", { id: 1 })).toMatchObject(problem("x"));
      expect(await send("POST", "/points", { id: 1, x: 13 })).toMatchObject(problem("at"));
      expect((await send("POST", "/points", { id: 1, x: 1 })).status).toBe(201);
      expect(await send("PATCH", "/points/1", { x: 13 })).toMatchObject(problem("at"));
      const items = [{ id: 2, x: 2 }, { id: 3 }, { id: 4, x: 13 }, { id: 5, x: 5 }];
      const batch = await send("POST", "/points/batch", { items });
      expect(batch.body.results.map(({ status }: { status: number }) => status)).toEqual([201, 422, 422, 201]);
      expect(await run("select id, x from points order by id")).toEqual([1, 2, 5].map((id) => ({ id, x: id })));
      expect(errors).toEqual([]);
    });

  if (engine === "postgres") {
    const uuid = "'A0000000-0000-4000-8000-00000000000A'";
    const made: readonly (readonly [string, z.ZodType, string])[] = [
      ["numeric(8, 2)", z.int(), "0.5"],
      ["int8", z.int(), "9007199254740993"],
      ["json", z.object({ a: z.number() }), `'{"a":9007199254740993}'`],
      ["jsonb", z.object({ a: z.number() }), `'{"a":9007199254740993}'`],
      ["jsonb[]", z.array(z.object({ a: z.number() })), `array['{"a":9007199254740993}']::jsonb[]`],
      ["numeric(8, 2)[]", z.array(z.int()), "array[1, 0.5]"],
      ["text", z.uuid(), uuid],
      ["varchar(36)[]", z.array(z.uuid()), `array[${uuid}]`],
      ["timestamptz", z.date(), "'290000-01-01 00:00Z'"],
      ["timestamp(3)", z.date(), "'290000-01-01'"],
    ];

    test.each(made)(
      "a value that a trigger makes in a column of type %s, and its field cannot hold, is 422 on each way and not written",
      async (type, field, value) => {
        const notes = defineResource("notes", {
          schema: z.object({ id: z.int(), name: z.string(), made: field.nullable().default(null) }),
          table: { name: "notes", managed: false, version: "hash", tenant: "shared" },
        });
        const { send, run, errors } = await open(
          notes,
          `create table notes (id int primary key, name text not null, made ${type})`,
          `create function make() returns trigger language plpgsql as $$begin if new.name = 'bad' then new.made = ${value}; end if; return new; end$$`,
          "create trigger made before insert or update on notes for each row execute function make()",
        );
        const problem = { status: 422, body: { code: "INVALID_VALUE", errors: [{ pointer: "/made" }] } };
        expect((await send("POST", "/notes", { id: 1, name: "good" })).status).toBe(201);
        expect(await send("POST", "/notes", { id: 2, name: "bad" })).toMatchObject(problem);
        expect(await send("PUT", "/notes/2", { id: 2, name: "bad" })).toMatchObject(problem);
        expect(await send("PUT", "/notes/1", { id: 1, name: "bad" })).toMatchObject(problem);
        expect(await send("PATCH", "/notes/1", { name: "bad" })).toMatchObject(problem);
        const items = [3, 4, 5].map((id) => ({ id, name: id === 4 ? "bad" : "good" }));
        const batch = await send("POST", "/notes/batch", { items });
        expect(batch.body.results.map(({ status }: { status: number }) => status)).toEqual([201, 422, 201]);
        expect(await run("select id, name, made from notes order by id")).toEqual([1, 3, 5].map((id) => ({ id, name: "good", made: null })));
        expect(errors).toEqual([]);
      },
    );

    test.each(made)("such a value that is stored in a column of type %s is a fault, or null", async (type, field, value) => {
      for (const unreadable of ["fail", "null"] as const) {
        const notes = defineResource("notes", {
          schema: z.object({ id: z.int(), made: field.nullable().default(null) }),
          table: { name: "notes", managed: false, version: "hash", tenant: "shared", unreadable },
        });
        // The start has seen no UUID in capitals.
        const { send, run } = await open(notes, `create table notes (id int primary key, made ${type})`);
        await run(`insert into notes values (1, ${value})`);
        const { status, body } = await send("GET", "/notes");
        expect([status, body.data?.[0].made]).toEqual(unreadable === "fail" ? [500, undefined] : [200, null]);
      }
    });
  }
});
