// @slow

import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { SqlStatement } from "../../../../adapters/stores/sql/engine/executor.js";
import { postgresExecutor } from "../../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { StatementNames } from "../../../../adapters/stores/sql/engine/postgres/statementNames.js";
import { Retryable } from "../../../../src/ground/storage/errors.js";
import { needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const read = (text: string, more: Partial<SqlStatement> = {}): SqlStatement => ({ text, values: [], writes: false, returns: "many", ...more });
const write = (text: string): SqlStatement => ({ text, values: [], writes: true, returns: "none" });

describe("names of statements", () => {
  test("are given from the second use on, and are the same for the same text", () => {
    const [names, others] = [new StatementNames(), new StatementNames()];
    const given = [read("select 1"), read("select 2"), read("select 1"), read("select 1"), read("select 2")].map((one) => names.nameOf(one));
    expect(given.map((name) => name !== undefined)).toEqual([false, false, true, true, true]);
    expect(given[2]).toBe(given[3]);
    expect(given[2]).not.toBe(given[4]);
    others.nameOf(read("select 1"));
    expect(others.nameOf(read("select 1"))).toBe(given[2]);
    expect(given[2]?.length).toBeLessThan(64);
  });

  test("are given to 256 texts, and not to statements that read much", () => {
    const names = new StatementNames();
    const named = (text: string, scans = false) => [1, 2].map(() => names.nameOf(read(text, { scans }))).at(-1) !== undefined;
    expect(named("select much", true)).toBe(false);
    expect(Array.from({ length: 300 }, (_, index) => named(`select ${index}`)).filter(Boolean)).toHaveLength(256);
  });

  test("are forgotten by texts that come once, however many there are", () => {
    const names = new StatementNames();
    for (let index = 0; index < 5_000; index++) expect(names.nameOf(read(`select ${index}`))).toBeUndefined();
  });
});

describe("statements with names, on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let connectionString: string;
  beforeAll(async () => {
    connectionString = await schema.create();
  });
  afterAll(() => schema.drop());

  let executor: ReturnType<typeof postgresExecutor>;
  const items = read("select id, text from items");
  const prepared = read("select name from pg_prepared_statements");
  beforeEach(async () => {
    // One connection, so that what is done to it is seen by all.
    executor = postgresExecutor({ connectionString, poolSize: 1 });
    onTestFinished(() => executor.close?.());
    for (const text of ["drop table if exists items", "create table items (id int, text text)", "insert into items values (1, 'a')"])
      await executor.query(write(text));
  });

  const readTwice = async () => {
    for (let turn = 0; turn < 2; turn++) expect((await executor.query(items, { budgetMs: 1_000 })).rows).toEqual([{ id: "1", text: "a" }]);
  };

  test("are kept by the server", async () => {
    await readTwice();
    expect((await executor.query(prepared)).rows).toHaveLength(1);
  });

  test("are sent without them where the server has forgotten them", async () => {
    await readTwice();
    await executor.query(write("deallocate all"));
    await readTwice();
    expect((await executor.query(items)).rows).toHaveLength(1);
    expect((await executor.query(prepared)).rows).toEqual([]);
  });

  test("are sent without them where the type of a column has changed", async () => {
    await readTwice();
    await executor.query(write("alter table items alter column text type varchar(50)"));
    await readTwice();
  });

  test("make a transaction one to try again, which then succeeds", async () => {
    await readTwice();
    const reading = () => executor.transaction(async (tx) => (await tx.query(items)).rows.length);
    expect(await reading()).toBe(1);
    await executor.query(write("deallocate all"));
    await expect(reading()).rejects.toBeInstanceOf(Retryable);
    expect(await reading()).toBe(1);
  });

  test("are not given in transactions, where they could not be sent again without them", async () => {
    await executor.transaction(async (tx) => {
      for (let turn = 0; turn < 3; turn++) await tx.query(items);
    });
    expect((await executor.query(prepared)).rows).toEqual([]);
  });

  test("leave errors of the statement itself as they are", async () => {
    const failing = read("select 1 / (select count(*) from items where id = 7)");
    for (let turn = 0; turn < 3; turn++) await expect(executor.query(failing)).rejects.toMatchObject({ code: "22012" });
  });
});
