import { defineResource } from "restwright";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines } from "./engines.js";

const table = { managed: false, version: "hash", tenant: "shared", casing: "snake_case" } as const;
const orders = defineResource("orders", {
  schema: z.object({
    id: z.int(),
    code: z.string(),
    total: z.int(),
    customerId: z.int().nullable(),
    note: z.string().nullable(),
    room: z.int().nullable(),
    address: z.string().nullable().default(null),
  }),
  unique: ["code"],
  table: {
    ...{ ...table, name: "orders" },
    constraints: { positive_total: { field: "total", detail: "Must be above 0." } },
    raised: { "45001": { status: 409, code: "ORDER_SHIPPED" } },
  },
});
const customers = defineResource("customers", { schema: z.object({ id: z.int() }), table: { ...table, name: "customers" } });
const everything = { resources: [orders, customers], authorize: () => true };

/** The code of a trigger: the notes `raise`, `ship` and `drop` are raised, raised with an SQLSTATE of the developer, and ignored. */
const statements = {
  sqlite: [
    "create table customers (id integer primary key)",
    `create table orders (id integer primary key, code text not null, total integer not null constraint positive_total check (total > 0),
      customer_id integer references customers (id), note text constraint short check (length(note) < 8), room integer, address text)`,
    "create unique index codes on orders (code)",
    "create trigger raising before insert on orders when new.note = 'raise' begin select raise(abort, 'secret text'); end",
    "create trigger raising_updates before update on orders when new.note = 'raise' begin select raise(abort, 'secret text'); end",
    "create trigger dropping before insert on orders when new.note = 'drop' begin select raise(ignore); end",
    "create trigger dropping_updates before update on orders when new.note = 'drop' begin select raise(ignore); end",
    "insert into customers values (1)",
  ],
  postgres: [
    "create table customers (id integer primary key)",
    "create domain short_text as varchar(7) check (value <> 'ugly')",
    `create table orders (id integer primary key, code varchar(10) not null, total integer not null constraint positive_total check (total > 0),
      customer_id integer references customers (id), note short_text, room integer, address inet, constraint one_room exclude (room with =))`,
    "create unique index codes on orders (code)",
    `create function refuse() returns trigger language plpgsql as $$ begin
      if new.note = 'raise' then raise 'secret text'; end if;
      if new.note = 'ship' then raise 'secret text' using errcode = '45001'; end if;
      if new.note = 'drop' then return null; end if;
      return new; end $$`,
    "create trigger refusing before insert or update on orders for each row execute function refuse()",
    "insert into customers values (1)",
  ],
} as const;

interface Refused {
  readonly values: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly code: string;
  readonly pointer?: string;
  readonly only?: "sqlite" | "postgres";
}

const refusals: Readonly<Record<string, Refused>> = {
  "a foreign key": { values: { customerId: 9 }, status: 422, code: "UNKNOWN_REFERENCE", pointer: "/customerId" },
  "a unique index": { values: { code: "taken" }, status: 422, code: "DUPLICATE_CODE", pointer: "/code" },
  "a check with a text of the mapping": { values: { total: 0 }, status: 422, code: "REFUSED_BY_DATABASE", pointer: "/total" },
  "a check without one": { values: { note: "12345678" }, status: 422, code: "REFUSED_BY_DATABASE", only: "sqlite" },
  "a domain": { values: { note: "ugly" }, status: 422, code: "REFUSED_BY_DATABASE", only: "postgres" },
  "the length of a column": { values: { code: "01234567890" }, status: 422, code: "INVALID_VALUE", pointer: "/code", only: "postgres" },
  "the length of a domain": { values: { note: "12345678" }, status: 422, code: "INVALID_VALUE", pointer: "/note", only: "postgres" },
  "the range of a column": { values: { total: 2 ** 40 }, status: 422, code: "INVALID_VALUE", pointer: "/total", only: "postgres" },
  "a text that the type of its column cannot parse": {
    values: { address: "10.1" },
    status: 422,
    code: "INVALID_VALUE",
    pointer: "/address",
    only: "postgres",
  },
  "an exclusion": { values: { room: 1 }, status: 422, code: "REFUSED_BY_DATABASE", only: "postgres" },
  "a trigger that raises": { values: { note: "raise" }, status: 422, code: "REFUSED_BY_DATABASE" },
  "a trigger with an SQLSTATE of the mapping": { values: { note: "ship" }, status: 409, code: "ORDER_SHIPPED", only: "postgres" },
  "a trigger that ignores the row": { values: { note: "drop" }, status: 422, code: "REFUSED_BY_DATABASE" },
};

const strict = { prefer: "handling=strict" };

describeEngines("what the database refuses", (openService, engine) => {
  const open = async () => {
    const opened = await openService(everything, ...statements[engine]);
    const order = (id: number, values: object = {}) => ({ id, code: `c${id}`, total: 1, customerId: 1, note: null, room: null, ...values });
    await opened.send("POST", "/orders", order(1, { code: "taken", room: 1 }));
    await opened.send("POST", "/orders", order(2));
    const ids = async () => (await opened.run("select id from orders order by id")).map(({ id }) => Number(id));
    return { ...opened, order, ids };
  };
  const cases = Object.entries(refusals).filter(([, { only = engine }]) => only === engine);

  test.each(cases)("%s: 4xx on each way, with the neighbours written", async (_, { values, status, code, pointer }) => {
    const { send, order, ids } = await open();
    const expectRefused = (answer: Awaited<ReturnType<typeof send>>, at = pointer) => {
      expect([answer.status, answer.body.code, answer.body.errors?.[0]?.pointer]).toEqual([status, code, at]);
      expect(answer.text).not.toMatch(/secret|positive_total|refusing|codes/);
    };
    expectRefused(await send("POST", "/orders", order(3, values)));
    expectRefused(await send("PUT", "/orders/3", order(3, values)));
    expectRefused(await send("PUT", "/orders/2", order(2, values)));
    expectRefused(await send("PATCH", "/orders/2", values));
    const current = await send("GET", "/orders/2");
    expectRefused(await send("PATCH", "/orders/2", values, undefined, { "if-match": current.etag }));
    expect((await send("GET", "/orders/2")).etag).toBe(current.etag);
    expect(await ids()).toEqual([1, 2]);

    const items = [order(10), order(11, values), order(12)];
    const mixed = await send("POST", "/orders/batch", { items });
    expect(mixed.body.results.map((result: { status: number }) => result.status)).toEqual([201, status, 201]);
    expect(JSON.stringify(mixed.body.results[1])).toContain(code);
    const others = [order(20), order(21, values), order(22)];
    const atomic = await send("POST", "/orders/batch", { items: others }, undefined, strict);
    expect([atomic.status, atomic.body.results?.map((result: { status: number }) => result.status)]).toEqual([422, [424, status, 424]]);
    expect(await ids()).toEqual([1, 2, 10, 12]);

    const changes = [
      { id: 10, changes: { total: 5 } },
      { id: 2, changes: values },
      { id: 12, changes: { total: 5 } },
    ];
    const patched = await send("PATCH", "/orders/batch", { items: changes });
    expect(patched.body.results.map((result: { status: number }) => result.status)).toEqual([200, status, 200]);
    expect((await send("GET", "/orders/12")).body.total).toBe(5);
    expect((await send("GET", "/orders/2")).etag).toBe(current.etag);

    const rows = [order(30), order(31, values), order(32)];
    const imported = await send("POST", "/orders/import?onError=continue", rows);
    expect([imported.status, imported.body.errors.map((error: { code: string }) => error.code)]).toEqual([
      200,
      [code === "INVALID_VALUE" ? "VALIDATION_FAILED" : code],
    ]);
    expect(await ids()).toEqual([1, 2, 10, 12, 30, 32]);
  });

  test("a delete of a row that others name is 409 on each way", async () => {
    const { send, run } = await open();
    const single = await send("DELETE", "/customers/1");
    expect([single.status, single.body.code]).toEqual([409, "ROW_IN_USE"]);
    await send("POST", "/customers", { id: 2 });
    const batch = await send("POST", "/customers/batch-delete", { ids: [1, 2] });
    expect(batch.body.results.map((result: { status: number }) => result.status)).toEqual([409, 204]);
    expect(await run("select count(*) as n from customers")).toEqual([{ n: 1 }]);
  });

  test("a column that is dropped while the service runs is 503 until it is back", async () => {
    const { send, run } = await open();
    await run("alter table orders drop column room");
    for (const [method, path, body] of [
      ["GET", "/orders/1"],
      ["GET", "/orders"],
      ["PATCH", "/orders/1", { total: 3 }],
    ] as const) {
      const answer = await send(method, path, body);
      expect([answer.status, answer.body.code]).toEqual([503, "STORAGE_UNAVAILABLE"]);
    }
    await run("alter table orders add column room integer");
    expect((await send("GET", "/orders/1")).status).toBe(200);
    expect((await send("PATCH", "/orders/1", { total: 3 })).status).toBe(200);
  });

  if (engine === "sqlite") return;

  test("a path that the type ltree cannot parse is 422 with its field", async () => {
    const pages = defineResource("pages", {
      schema: z.object({ id: z.int(), path: z.string() }),
      table: { name: "pages", managed: false, version: "hash", tenant: "shared" },
    });
    const types = "create extension if not exists ltree schema public";
    const { send, run, errors } = await openService(pages, types, "create table pages (id integer primary key, path public.ltree not null)");
    for (const path of ["a..b", "x".repeat(2_000)]) {
      const problem = { code: "INVALID_VALUE", detail: 'The value of "path" is out of range; allowed is a value of the type ltree.' };
      expect(await send("POST", "/pages", { id: 1, path })).toMatchObject({ status: 422, body: problem });
    }
    const batch = await send("POST", "/pages/batch", { items: ["a.b", " ", "b"].map((path, id) => ({ id, path })) });
    expect(batch.body.results.map((result: { status: number }) => result.status)).toEqual([201, 422, 201]);
    expect(await run("select id from pages order by id")).toEqual([{ id: 0 }, { id: 2 }]);
    expect(errors).toEqual([]);
  });

  test("the check option of a view is 422 on each way", async () => {
    const view = defineResource("small", {
      schema: z.object({ id: z.int(), total: z.int() }),
      table: { name: "small", managed: false, version: "hash", tenant: "shared" },
    });
    const { send, run } = await openService(
      view,
      "create table amounts (id integer primary key, total integer not null)",
      "create view small as select id, total from amounts where total < 100 with check option",
    );
    expect((await send("POST", "/small", { id: 1, total: 1 })).status).toBe(201);
    for (const [method, path] of [
      ["POST", "/small"],
      ["PUT", "/small/2"],
      ["PATCH", "/small/1"],
    ] as const) {
      const answer = await send(method, path, method === "PATCH" ? { total: 500 } : { id: 2, total: 500 });
      expect([answer.status, answer.body.code]).toEqual([422, "REFUSED_BY_DATABASE"]);
    }
    const batch = await send("POST", "/small/batch", { items: [3, 500, 4].map((id) => ({ id, total: id })) });
    expect(batch.body.results.map((result: { status: number }) => result.status)).toEqual([201, 422, 201]);
    expect(await run("select id from amounts order by id")).toEqual([1, 3, 4].map((id) => ({ id })));
  });

  test("a policy of row-level security is 403", async () => {
    const { send, order, run, ids } = await open();
    await run("alter table orders enable row level security");
    await run("alter table orders force row level security");
    await run("create policy small on orders using (total < 1000) with check (total < 100)");
    for (const [method, path] of [
      ["POST", "/orders"],
      ["PUT", "/orders/3"],
      ["PATCH", "/orders/2"],
    ] as const) {
      const answer = await send(method, path, method === "PATCH" ? { total: 500 } : order(3, { total: 500 }));
      expect([answer.status, answer.body.code]).toEqual([403, "OUT_OF_SCOPE"]);
    }
    const batch = await send("POST", "/orders/batch", { items: [order(10), order(11, { total: 500 }), order(12)] });
    expect(batch.body.results.map((result: { status: number }) => result.status)).toEqual([201, 403, 201]);
    expect(await ids()).toEqual([1, 2, 10, 12]);
    await run("alter policy small on orders using (total > 1)");
    expect(await send("PUT", "/orders/1", order(1, { total: 50 }))).toMatchObject({ status: 422, body: { code: "DUPLICATE_ID" } });
  });
});
