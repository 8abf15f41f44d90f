// @slow

import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { SqlStatement } from "../../../../adapters/stores/sql/engine/executor.js";
import { askLean } from "../../../../adapters/stores/sql/engine/postgres/leanQuery.js";
import { postgresExecutor } from "../../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { toQuery } from "../../../../adapters/stores/sql/engine/postgres/sendStatement.js";
import { needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const read = (text: string, values: readonly unknown[] = [], more: Partial<SqlStatement> = {}): SqlStatement => ({
  text,
  values,
  writes: false,
  returns: "many",
  ...more,
});

describe("queries without the objects of pg (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let connectionString: string;
  let client: pg.PoolClient;
  let pool: pg.Pool;

  beforeAll(async () => {
    connectionString = await schema.create();
    pool = new pg.Pool({ connectionString, max: 1 });
    client = await pool.connect();
    await client.query("create table items (id bigint primary key, text text, data jsonb)");
    await client.query(`insert into items select n, 'text ' || n, '{"n":1}' from generate_series(1, 3) as n`);
  });
  afterAll(async () => {
    client.release();
    await pool.end();
    await schema.drop();
  });

  const lean = async (statement: SqlStatement, name?: string, on: pg.ClientBase = client) => {
    const asked = askLean(on as pg.PoolClient, statement, name);
    if (asked === undefined) throw new Error("The statement was left to pg.");
    return asked;
  };

  const everyType =
    "select $1::text as text, $2::bigint as bigint, $3::boolean as boolean, $4::float8 as number, $5::numeric as decimal, $6::timestamptz as instant, " +
    "$7::text::jsonb as jsonb, $8::text::json as json, $9::bytea as bytes, null::text as nothing";
  const values = ["a", "9007199254740993", true, 1.5, "1.10", "2026-01-31T12:00:00.123Z", '{"a":[1]}', "[null]", Buffer.from([0, 255])];

  test.each<[string, SqlStatement]>([
    ["values of every type", read(everyType, values)],
    ["absent values", read(everyType, [null, undefined, null, null, null, null, null, null, null])],
    ["a number, a bigint and a boolean as text", read("select $1::int + 1 as next, $2::bigint as big, $3::boolean as flag", [41, 2n ** 62n, false])],
    ["no rows", read("select id from items where id = $1", [99])],
    ["rows without columns", read("select from items where id < $1", [3])],
    ["two columns of one name", read("select $1::int as a, $2::text as a", [1, "last"])],
    ["an insert", read("insert into items values ($1, $2, $3::text::jsonb)", [10, "ten", "{}"], { writes: true })],
    ["an update", read("update items set text = text where id <= $1", [2], { writes: true })],
    ["a delete that returns", read("delete from items where id = $1 returning id, data", [10], { writes: true })],
    ["a text of letters beyond ASCII", read("select $1::text as text, length($1::text) as length", ["é, 漢, ☃"])],
  ])("answer what pg answers: %s", async (_, statement) => {
    const undo = async (work: () => Promise<pg.QueryResult>) => {
      await client.query("begin");
      try {
        return await work();
      } finally {
        await client.query("rollback");
      }
    };
    const insertFirst = statement.text.startsWith("delete") ? "insert into items values (10, 'ten', '{}')" : "select 1";
    const prepare = () => client.query(insertFirst);
    const [expected, got] = [
      await undo(async () => (await prepare()) && client.query(toQuery(statement) as pg.QueryConfig)),
      await undo(async () => (await prepare()) && ((await lean(statement)) as pg.QueryResult)),
    ];
    expect(got.rows).toEqual(expected.rows);
    expect(got.rowCount).toBe(expected.rowCount);
  });

  test("describe the columns of a name once on each connection", async () => {
    const { connection } = client as unknown as { readonly connection: NodeJS.EventEmitter };
    const described = vi.fn<() => void>();
    connection.on("rowDescription", described);
    onTestFinished(() => void connection.removeListener("rowDescription", described));
    const statement = read("select id, data from items where id = $1", [2]);
    for (let turn = 0; turn < 4; turn++) expect((await lean(statement, "described_once")).rows).toEqual([{ id: "2", data: { n: 1 } }]);
    expect(described).toHaveBeenCalledTimes(1);
    // Without a name the server parses it anew, perhaps with other types.
    for (let turn = 0; turn < 2; turn++) await lean(statement);
    expect(described).toHaveBeenCalledTimes(3);
  });

  test.each<[string, SqlStatement, string]>([
    ["a text that it cannot parse", read("selekt $1", [1]), "42601"],
    ["a value of another type", read("select $1::int as a", ["x"]), "22P02"],
    ["a row that it cannot compute", read("select 1 / (id - $1) from items", [2]), "22012"],
    ["a constraint", read("insert into items values ($1)", [1], { writes: true }), "23505"],
  ])("reject with the error of the server for %s, and leave the connection in order", async (_, statement, code) => {
    for (const name of [undefined, `refused_${code}`]) {
      await expect(lean(statement, name)).rejects.toMatchObject({ code });
      expect((await lean(read("select $1::int as a", [7]))).rows).toEqual([{ a: "7" }]);
    }
  });

  test("reject a value that cannot be read after the server has sent all of it", async () => {
    await client.query("set datestyle = 'German'");
    onTestFinished(async () => void (await client.query("reset datestyle")));
    const instants = read("select now() + n * interval '1 s' as at from generate_series(1, $1) as n", [1_000]);
    await expect(lean(instants)).rejects.toThrow("set DateStyle to ISO");
    expect((await lean(read("select $1::int as a", [7]))).rows).toEqual([{ a: "7" }]);
  });

  test("reject where the connection breaks", async () => {
    const other = new pg.Client({ connectionString });
    other.on("error", () => {});
    await other.connect();
    const { rows } = await lean(read("select pg_backend_pid() as pid, $1::int as a", [1]), undefined, other);
    // Waited for from the start: it may be rejected before the server answers who ends it.
    const isRefused = expect(lean(read("select pg_sleep($1)", [30]), undefined, other)).rejects.toMatchObject({ code: "57P01" });
    await client.query("select pg_terminate_backend($1)", [rows[0]?.["pid"]]);
    await isRefused;
    await expect(lean(read("select $1::int as a", [1]), undefined, other)).rejects.toThrow(/not queryable|terminated|ECONNRESET/);
  });

  test("keep the limit of time that a pool has for its queries", async () => {
    const limited = new pg.Client({ connectionString, query_timeout: 50 });
    await limited.connect();
    onTestFinished(() => limited.end());
    await expect(lean(read("select pg_sleep($1)", [1]), undefined, limited)).rejects.toThrow("timeout");
  });

  test.each<[string, () => pg.Client | Promise<pg.Client>]>([
    ["is in the mode for binary values", () => Object.assign(new pg.Client({ connectionString }), { binary: true })],
    ["has a method of its own", () => Object.assign(new pg.Client({ connectionString }), { query: () => Promise.resolve() })],
    ["is none of pg", () => ({ query: () => Promise.resolve({ rows: [], rowCount: 0 }) }) as unknown as pg.Client],
  ])("leave a statement to a client that %s", async (_, open) => {
    expect(askLean((await open()) as unknown as pg.PoolClient, read("select $1::int as a", [1]))).toBeUndefined();
  });

  test.each<[string, SqlStatement]>([
    ["of a developer", read("select $1::int as a", [1], { isByDeveloper: true })],
    ["with a value that pg converts", read("select $1::int[] as a", [[1, 2]])],
    ["with a date", read("select $1::timestamp as a", [new Date(0)])],
    ["without values, which may be several", read("select 1; select 2")],
  ])("leave a statement %s to pg", (_, statement) => {
    expect(askLean(client, statement)).toBeUndefined();
  });

  test("are what the store sends", async () => {
    const submitted = vi.spyOn(pg.Client.prototype, "query");
    onTestFinished(() => submitted.mockRestore());
    const executor = postgresExecutor({ connectionString, poolSize: 1 });
    onTestFinished(() => executor.close?.());
    expect((await executor.query(read("select id from items where id = $1", [1]))).rows).toEqual([{ id: "1" }]);
    await executor.transaction((tx) => tx.query(read("select id from items where id = $1", [1])));
    const texts = submitted.mock.calls.map(([query]) => query as unknown as { readonly text: string; readonly submit?: unknown });
    expect(texts.filter(({ text }) => text.includes("items")).map(({ submit }) => typeof submit)).toEqual(["function", "function"]);
  });
});
