import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SqliteConnection, SqliteDriver, SqliteDriverName } from "../../adapters/sql/sqliteConnection.js";
import { loadSqliteDriver } from "../../adapters/sql/sqliteDriver.js";

const names: readonly SqliteDriverName[] = ["node:sqlite", "better-sqlite3", "libsql"];
const drivers = names.flatMap((name): SqliteDriver[] => {
  try {
    return [loadSqliteDriver(name)];
  } catch {
    return [];
  }
});
const missing = names.filter((name) => drivers.every((driver) => driver.name !== name));

const folder = mkdtempSync(join(tmpdir(), "restwright-driver-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the driver that is part of Node comes first, and without one an installed package", () => {
  expect(loadSqliteDriver().name).toBe(drivers[0]?.name);
});

test.each(missing)("without %s the error names the command that installs a driver", (name) => {
  expect(() => loadSqliteDriver(name)).toThrow("There is no SQLite driver. Run: npm i libsql");
});

describe.each(drivers)("$name", (driver) => {
  let connection: SqliteConnection;
  let reader: SqliteConnection;

  beforeEach(() => {
    const path = join(folder, `${Math.random()}.db`);
    connection = driver.open(path);
    connection.first("pragma journal_mode = wal", [], false);
    connection.execute("create table notes (id integer primary key autoincrement, text text unique, big integer)");
    reader = driver.open(path);
  });

  afterEach(() => {
    reader.close();
    connection.close();
  });

  const add = "insert into notes (text, big) values (?, ?) on conflict do nothing returning id";

  test("rows have the selected columns and nothing else", () => {
    expect({ ...connection.first("select 1 as one, null as missing, 'x' as text", [], false) }).toEqual({ one: 1, missing: null, text: "x" });
  });

  test("64-bit integers come back whole where they are asked for", () => {
    const big = 2n ** 63n - 1n;
    connection.first(add, ["a", big], true);
    expect(connection.all("select big from notes", [], true).map((row) => row["big"])).toEqual([big]);
  });

  test("one text may be read by its first row and by all its rows, in any order", () => {
    expect(connection.all(add, ["a", 1], false)).toHaveLength(1);
    expect(connection.first(add, ["b", 1], false)?.["id"]).toBe(2);
    expect(connection.all(add, ["a", 1], false)).toHaveLength(0);
    expect(connection.first(add, ["a", 1], false)).toBeUndefined();
    expect(connection.first(add, ["c", 1], false)).toBeDefined();
    expect(connection.all("select id from notes", [], false)).toHaveLength(3);
  });

  test("a statement that failed once works the next time", () => {
    const strict = "insert into notes (text) values (?) returning id";
    connection.first(strict, ["a"], false);
    expect(() => connection.first(strict, ["a"], false)).toThrow(/UNIQUE/);
    expect(connection.first(strict, ["b"], false)).toBeDefined();
    const update = "update notes set text = ? where id = 1";
    expect(() => connection.run(update, ["b"])).toThrow(/UNIQUE/);
    expect(connection.run(update, ["c"])).toBe(1);
  });

  test("a write says how many rows it matched", () => {
    for (const text of ["a", "b", "c"]) connection.first(add, [text, 1], false);
    expect(connection.run("update notes set big = 2 where text <> ?", ["a"])).toBe(2);
    expect(connection.run("delete from notes", [])).toBe(3);
  });

  test("reading one row does not keep a snapshot", () => {
    const count = () => reader.first("select count(*) as count from notes", [], false)?.["count"];
    for (const [index, text] of ["a", "b", "c"].entries()) {
      connection.first(add, [text, 1], false);
      expect(count()).toBe(index + 1);
    }
  });

  test.each([0, 1, 150, 999, 1_000])("an iteration that is left after %i rows lets its snapshot go", (rows) => {
    connection.execute("begin");
    for (let index = 0; index < 1_000; index++) connection.first(add, [`n${index}`, index], false);
    connection.execute("commit");
    let read = 0;
    for (const row of reader.iterate("select id, text from notes order by id", [], false)) {
      read += 1;
      expect(row["id"]).toBe(read);
      if (read >= rows) break;
    }
    connection.first(add, ["later", 1], false);
    expect(Object.values(connection.first("pragma wal_checkpoint(truncate)", [], false) ?? {})).toEqual([0, 0, 0]);
  });

  test("more texts than the cache holds are no trouble", () => {
    for (let index = 0; index < 600; index++) expect(connection.first(`select ${index} as n`, [], false)?.["n"]).toBe(index);
    expect(connection.first("select 0 as n", [], false)?.["n"]).toBe(0);
  });
});
