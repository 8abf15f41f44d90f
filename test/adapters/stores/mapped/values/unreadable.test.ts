// @slow

import pg from "pg";
import { createService, defineResource } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { needs } from "../../../../tools/engines.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";

const schema = z.object({
  id: z.int(),
  note: z.string().nullable(),
  at: z.date().nullable(),
  localAt: z.date().nullable(),
  day: z.iso.date().nullable(),
  ratio: z.number().nullable(),
  price: z.number().nullable(),
  digits: z.string().nullable(),
  big: z.int().nullable(),
});
const fields = ["at", "localAt", "day", "ratio", "price", "digits", "big"];

/** Rows whose values are readable, null, or beyond what their fields hold. */
const rows = `
  create table odd (id int primary key, note text, at timestamptz(6), local_at timestamp(6), day date, ratio float8, price numeric(8, 2), digits numeric, big int8);
  insert into odd select n, 'x', case n % 4 when 0 then 'infinity' when 1 then '-infinity' when 2 then timestamptz '2026-01-31' + n * interval '1 microsecond' end,
    case n % 4 when 0 then 'infinity' when 1 then '-infinity' when 2 then timestamp '2026-01-31' end,
    case n % 5 when 0 then 'infinity' when 1 then '-infinity' when 2 then date '0044-03-15 BC' when 3 then date '2026-01-31' end,
    case n % 5 when 0 then 'infinity' when 1 then '-infinity' when 2 then 'NaN' when 3 then n / 3.0 end,
    case n % 3 when 0 then 'NaN'::numeric when 1 then n % 7 end, case n % 3 when 0 then 'NaN'::numeric when 1 then n % 7 end,
    case n % 3 when 0 then 9223372036854775807 when 1 then n % 7 end from generate_series(1, 60) as n`;

describe("values that their field cannot hold (set POSTGRES_URL to run)", needs("postgres"), () => {
  const own = ownSchema();
  let pool: pg.Pool;
  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: await own.create(), max: 2 });
    await pool.query(rows);
  });
  afterAll(async () => {
    await pool.end();
    await own.drop();
  });

  function open(unreadable: "null" | "fail") {
    const faults: string[] = [];
    const odd = defineResource("odd", {
      schema,
      table: { name: "odd", managed: false, casing: "snake_case", version: "hash", tenant: "shared", unreadable },
    });
    const service = createService({
      resources: [odd],
      storage: postgresStorage({ pool }),
      logger: false,
      onError: (error) => faults.push(String(error)),
    });
    const send = async (target: string, method = "GET", json?: object) => {
      const body = json === undefined ? null : JSON.stringify(json);
      const answer = await service.fetch(new Request(`http://localhost${target}`, { method, body, headers: { "content-type": "application/json" } }));
      return { status: answer.status, body: JSON.parse(await answer.text()) };
    };
    return { send, faults };
  }

  test.each(fields.flatMap((field) => [field, `-${field}`]))("are null in orders: %s walks each row once", async (sort) => {
    const { send, faults } = open("null");
    const seen: number[] = [];
    for (let cursor: string | null = null, pages = 0; pages < 20 && (pages === 0 || cursor !== null); pages++) {
      const { body } = await send(`/odd?sort=${sort}&perPage=7${cursor === null ? "" : `&cursor=${cursor}`}`);
      seen.push(...body.data.map(({ id }: { readonly id: number }) => id));
      cursor = body.meta.nextCursor;
    }
    expect(faults).toEqual([]);
    expect(seen.length).toBe(60);
    expect(new Set(seen).size).toBe(60);
  });

  test("are null in filters, and stay as they are if they are sent back", async () => {
    const { send } = open("null");
    const { rows: before } = await pool.query("select odd::text as stored from odd where id = 60");
    const { body } = await send("/odd/60");
    expect(body).toMatchObject({ at: null, localAt: null, day: null, ratio: null, price: null, digits: null, big: null });
    const { id: _, ...members } = body;
    expect((await send("/odd/60", "PUT", { ...members, note: "y" })).status).toBe(200);
    const { rows: after } = await pool.query("select odd::text as stored from odd where id = 60");
    expect(after[0].stored).toBe(before[0].stored.replace(",x,", ",y,"));
    for (const field of fields) {
      const found = (await send(`/odd?${field}[exists]=false&perPage=100&fields=id,${field}`)).body.data;
      expect(found.length, field).toBeGreaterThan(20);
      expect(
        found.every((row: Record<string, unknown>) => row[field] === null),
        field,
      ).toBe(true);
    }
  });

  test("are a fault that names table, column and row", async () => {
    const { send, faults } = open("fail");
    expect((await send("/odd/60")).status).toBe(500);
    expect(faults[0]).toMatch(/odd: "at" cannot be read from the column "at".*id 60/);
  });
});
