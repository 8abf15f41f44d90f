import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SqliteConnection, SqliteDriver, SqliteDriverName } from "../../../../adapters/stores/sql/engine/sqlite/sqliteConnection.js";
import { loadSqliteDriver } from "../../../../adapters/stores/sql/engine/sqlite/sqliteDriver.js";
import { needs } from "../../../tools/engines.js";

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

/** A run of the tests that is meant for one driver must not pass with another one. */
const { SQLITE_DRIVER: meant } = process.env;

test("the driver of these tests is SQLITE_DRIVER", needs("sqlite"), () => {
  expect(loadSqliteDriver().name).toBe(meant);
});

test.each(missing)("without %s the error names the commands that install a driver", (name) => {
  expect(() => loadSqliteDriver(name)).toThrow(/Run: npm install (?:better-sqlite3, .* npm install )?libsql\.|needs Node 22\.13 or later\./);
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

  describe.each(["begin", "step"] as const)("rows that are read a few at a time by %s", (how) => {
    const text = "select id, text from notes order by id";

    beforeEach(() => {
      connection.execute("begin");
      for (let index = 0; index < 1_000; index++) connection.first(add, [`n${index}`, index], false);
      connection.execute("commit");
    });

    test.each([1, 4, 7, 100, 1_500])("come in order, %i at a time", (maxRows) => {
      const reading = reader[how](text, [], false);
      const ids: unknown[] = [];
      for (let rows = reading.next(maxRows); rows.length > 0; rows = reading.next(maxRows)) {
        expect(rows.length).toBeLessThanOrEqual(maxRows);
        ids.push(...rows.map((row) => row["id"]));
      }
      expect(ids).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
      expect(reading.next(maxRows)).toEqual([]);
    });

    test("come from a statement that nothing else refers to, whatever is collected meanwhile", async () => {
      setFlagsFromString("--expose-gc");
      const collect = runInNewContext("gc") as () => void;
      const reading = reader[how](text, [], false);
      for (let id = 1; id <= 5; id++) {
        await new Promise(setImmediate);
        collect();
        expect(reading.next(1)[0]?.["id"]).toBe(id);
      }
      reading.end(true);
    });

    test("come from the statement of another reading once that is over", () => {
      for (let round = 0; round < 3; round++) {
        const reading = reader[how](text, [], false);
        expect(reading.next(4).map((row) => row["id"])).toEqual([1, 2, 3, 4]);
        reading.end(true);
        expect(reading.next(4)).toEqual([]);
        expect(reader.all(text, [], false)).toHaveLength(1_000);
        expect(reader.first(text, [], false)?.["id"]).toBe(1);
      }
    });

    test("may be left without a word to what else is being read", () => {
      const other = reader.step("select id from notes order by id desc", [], false);
      expect(other.next(1).map((row) => row["id"])).toEqual([1_000]);
      const reading = reader[how](text, [], false);
      expect(reading.next(4)).toHaveLength(4);
      reading.end(false);
      expect(other.next(2).map((row) => row["id"])).toEqual([999, 998]);
      other.end(true);
    });

    test.each([0, 1, 150, 999, 1_000])("let their snapshot go when they are left after %i rows", (rows) => {
      const reading = reader[how](text, [], false);
      for (let read = 1; read <= rows; read++) expect(reading.next(1)[0]?.["id"]).toBe(read);
      reading.end(true);
      connection.first(add, ["later", 1], false);
      expect(Object.values(connection.first("pragma wal_checkpoint(truncate)", [], false) ?? {})).toEqual([0, 0, 0]);
      expect(reader.all(text, [], false)).toHaveLength(1_001);
    });
  });

  test("more texts than the cache holds are no trouble", () => {
    for (let index = 0; index < 600; index++) expect(connection.first(`select ${index} as n`, [], false)?.["n"]).toBe(index);
    expect(connection.first("select 0 as n", [], false)?.["n"]).toBe(0);
  });
});
