import pg from "pg";
import { createService, defineResource, type Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../../tools/client.js";
import { needs } from "../../../../tools/engines.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";

/** JSON that other programs stored, and whether a patch of a member beside its number would keep it. */
const stored: readonly (readonly [json: string, isReadable: boolean])[] = [
  ['{"a":1,"n":1234567890123456789}', false],
  ['{"a":1,"n":[-9007199254740993]}', false],
  ['{"a":1,"n":9223372036854775807}', false],
  ['{"a":1,"n":9007199254740992}', true],
  ['{"a":1,"n":100000000000000000000}', true],
  ['{"a":1,"n":0.1234567890123456789}', true],
  ['{"a":1,"n":"1234567890123456789, \\"1234567890123456789"}', true],
];

/** Of PostgreSQL, which keeps all digits of a number. */
const wide: typeof stored = [
  ['{"a":1,"n":100000000000000000001}', false],
  ['{"a":1,"n":12345678901234567.5}', false],
  [`{"a":1,"n":1${"0".repeat(400)}}`, false],
];

const schema = z.object({ id: z.int(), note: z.string(), meta: z.looseObject({ a: z.int() }).nullable() });
const table = "create table odd (id int primary key, note text not null, meta json)";

function tests(
  rows: typeof stored,
  open: () => Promise<{ readonly storage: Storage; run(text: string, values: unknown[]): Promise<readonly unknown[]> }>,
) {
  let opened: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    opened = await open();
    for (const [index, [json]] of rows.entries()) await opened.run("insert into odd values ($1, 'x', $2)", [index + 1, json]);
  });

  const service = (unreadable: "fail" | "null") => {
    const options = { name: "odd", managed: false, version: "hash", tenant: "shared", unreadable } as const;
    const faults: string[] = [];
    const onError = (error: unknown) => faults.push(String(error));
    const odd = defineResource("odd", { schema, table: options });
    return { send: clientOf(createService({ resources: [odd], storage: opened.storage, logger: false, onError })), faults };
  };
  const metaOf = async (id: number) => JSON.stringify(await opened.run("select cast(meta as text) as meta from odd where id = $1", [id]));
  const ids = (isReadable: boolean) =>
    rows.flatMap(([json, readable], index) => (readable === isReadable ? [[json.slice(0, 60), index + 1] as const] : []));

  test.each(ids(false))("%s is unreadable, and no patch changes it", async (_, id) => {
    const { send, faults } = service("fail");
    const before = await metaOf(id);
    expect((await send({ target: `/odd/${id}` })).status).toBe(500);
    expect(faults.join()).toContain(
      '"meta" cannot be read from the column "meta" of the table "odd": it has a number beyond 2^53 that would be rounded',
    );
    expect((await send({ method: "PATCH", target: `/odd/${id}`, body: { meta: { a: 2 } } })).status).toBe(500);
    expect(await metaOf(id)).toBe(before);
  });

  test.each(ids(false))('%s is null for unreadable: "null", and stays if null is sent back', async (_, id) => {
    const { send } = service("null");
    const before = await metaOf(id);
    const { json } = await send({ target: `/odd/${id}` });
    expect(json).toMatchObject({ id, meta: null });
    expect((await send({ method: "PUT", target: `/odd/${id}`, body: { ...json, note: `y${id}` } })).status).toBe(200);
    expect(await metaOf(id)).toBe(before);
  });

  test.each(ids(true))("%s is read, and keeps its number in a patch of the member beside it", async (_, id) => {
    for (const unreadable of ["fail", "null"] as const) {
      const { send } = service(unreadable);
      const { n } = (await send({ target: `/odd/${id}` })).json.meta;
      const patched = await send({ method: "PATCH", target: `/odd/${id}`, body: { meta: { a: unreadable.length } } });
      expect([patched.status, patched.json.meta]).toEqual([200, { a: unreadable.length, n }]);
    }
    const { send } = service("null");
    expect((await send({ method: "PATCH", target: `/odd/${id}`, body: { meta: null } })).status).toBe(200);
    expect(await metaOf(id)).toContain("null");
  });
}

describe("numbers in JSON of an existing table of SQLite", () => {
  tests(stored, async () => {
    const storage = sqliteStorage({ path: ":memory:" });
    const run = async (text: string, values: unknown[]) =>
      (await storage.transaction?.(async (tx) => tx.sql?.(text.replaceAll(/\$\d/g, "?"), values as string[]))) ?? [];
    await run(table, []);
    return { storage, run };
  });
});

describe.each(["json", "jsonb"])("numbers in %s of an existing table of PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), (type) => {
  const own = ownSchema();
  let pool: pg.Pool;
  afterAll(async () => {
    await pool.end();
    await own.drop();
  });
  tests([...stored, ...wide], async () => {
    pool = new pg.Pool({ connectionString: await own.create(), max: 2 });
    await pool.query(table.replace("meta json", `meta ${type}`));
    return { storage: postgresStorage({ pool }), run: async (text, values) => (await pool.query(text, values)).rows };
  });
});
