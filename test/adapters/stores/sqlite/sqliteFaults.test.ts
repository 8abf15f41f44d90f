// @slow

import { closeSync, fstatSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sqlStorage } from "restwright/sql";
import { sqliteStorage } from "restwright/sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sqliteExecutor } from "../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import type { NewRow } from "../../../../src/ground/storage/collection.js";
import { Retryable, Unavailable } from "../../../../src/ground/storage/errors.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import { OtherProcess } from "./sqliteLock.js";

const model: CollectionModel = {
  name: "notes",
  id: "id",
  idFrom: "store",
  columns: [
    { name: "id", kind: "int" },
    { name: "text", kind: "text" },
  ],
  unique: [],
  indexes: [],
  searchable: [],
};

const note = (text: string): NewRow => ({ text, _version: text.slice(0, 20), _updatedAt: new Date(0) });

let folder = "";
let path = "";
const others: OtherProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restwright-faults-"));
  path = join(folder, "data.db");
});

afterEach(async () => {
  for (const other of others.splice(0)) await other.end();
  rmSync(folder, { recursive: true, force: true });
});

async function otherProcess(...statements: string[]): Promise<OtherProcess> {
  const other = await OtherProcess.run(path, ...statements);
  others.push(other);
  return other;
}

/** What opening a store of `path` says. */
function refusal(): unknown {
  try {
    sqliteStorage({ path, busyTimeoutMs: 50 });
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("opening", () => {
  test("a file that is no database is refused by its path, with the remedy", () => {
    writeFileSync(path, "This is a letter, and long enough to be one.\n".repeat(100));
    const error = refusal();
    expect(error).toBeInstanceOf(Unavailable);
    expect(String(error)).toContain(`Cannot open the SQLite database "${path}": its file is not a SQLite database. Restore it`);
  });

  test("a path below a file is refused by its path, with the remedy", () => {
    writeFileSync(path, "");
    path = join(path, "below.db");
    const error = refusal();
    expect(error).toBeInstanceOf(Unavailable);
    expect(String(error)).toContain(`"${path}"`);
    expect(String(error)).toContain("Check that the folder exists and that this process may write to it.");
  });

  test("a file that another process holds locked is refused with the remedy, and opens afterwards", async () => {
    const other = await otherProcess("create table theirs (a)", "begin exclusive");
    const error = refusal();
    expect(error).toBeInstanceOf(Unavailable);
    expect(String(error)).toContain("another process has locked it. End that process, or raise busyTimeoutMs.");
    await other.end();
    const storage = sqliteStorage({ path });
    await storage.ping?.();
    await storage.close?.();
  });

  test("a table of the same name with a column of another type is refused by name", async () => {
    await otherProcess(
      'create table notes (id integer primary key autoincrement, "_tenant" text, "_version" text, "_updatedAt" integer, "_operationId" text, text blob)',
    );
    const storage = sqliteStorage({ path });
    await expect(storage.migrate?.([model])).rejects.toThrow(
      'The column "text" of the table "notes" has the type blob, but the collection needs text.',
    );
    await storage.close?.();
  });

  test("a table that the library did not make is refused, and left as it is", async () => {
    await otherProcess("create table notes (id integer, text text)", "insert into notes values (1, 'theirs')");
    const storage = sqliteStorage({ path });
    await expect(storage.migrate?.([model])).rejects.toThrow(/"notes" exists but has no column "_tenant"/);
    await storage.close?.();
  });
});

describe("while it is open", () => {
  test("damage is told as unavailable, with the remedy", async () => {
    let storage = sqliteStorage({ path });
    await storage.migrate?.([model]);
    for (let index = 0; index < 200; index++) await storage.collection(model).insert(note(`${index}`.repeat(500)), {});
    await storage.close?.();
    const file = openSync(path, "r+");
    // The rows stand behind the tables that are empty.
    const pages = fstatSync(file).size / 4_096;
    for (let page = Math.ceil(pages / 2); page < pages; page++) writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, page * 4_096);
    closeSync(file);
    storage = sqliteStorage({ path });
    const reading = storage.collection(model).find({ sort: [{ path: ["text"], dir: "asc" }], limit: 1_000 }, {});
    await expect(reading).rejects.toThrow(Unavailable);
    await expect(reading).rejects.toThrow(/damaged. Restore it from a backup/);
  });

  test("a write waits for a process that is writing, without blocking this one", async () => {
    const storage = sqliteStorage({ path });
    await storage.migrate?.([model]);
    const other = await otherProcess("begin immediate");
    let written = false;
    const writing = storage.collection(model).insert(note("waited"), {});
    const noticed = writing.then(() => {
      written = true;
    });
    await sleep(100);
    expect(written).toBe(false);
    expect(await storage.collection(model).find({ sort: [], limit: 10 }, {})).toEqual([]);
    await other.end();
    await noticed;
    expect(await storage.collection(model).count?.(undefined, {})).toBe(1);
    await storage.close?.();
  });

  test("a write that waits too long may be tried again, and the store goes on", async () => {
    const storage = sqliteStorage({ path, busyTimeoutMs: 50 });
    await storage.migrate?.([model]);
    const notes = storage.collection(model);
    const other = await otherProcess("begin immediate");
    const outcomes = await Promise.allSettled([notes.insert(note("a"), {}), notes.insert(note("b"), {}), storage.transaction?.(async () => {})]);
    for (const outcome of outcomes) expect(outcome.status === "rejected" && outcome.reason).toBeInstanceOf(Retryable);
    await other.end();
    expect((await notes.insert(note("c"), {})).ok).toBe(true);
    expect(await notes.count?.(undefined, {})).toBe(1);
    await storage.close?.();
  });

  test("two processes write to one file and neither loses a row", async () => {
    const storage = sqliteStorage({ path });
    await storage.migrate?.([model]);
    const theirs = Array.from({ length: 100 }, (_, index) => `insert into notes ("_version", "_updatedAt", text) values ('t${index}', 0, 'theirs')`);
    const other = otherProcess("pragma busy_timeout = 5000", ...theirs);
    const ours = [];
    for (let index = 0; index < 100; index++) ours.push(await storage.collection(model).insert(note(`ours ${index}`), {}));
    await other;
    expect(ours.every((outcome) => outcome.ok)).toBe(true);
    expect(await storage.collection(model).count?.(undefined, {})).toBe(200);
    await storage.close?.();
  });

  test("a full disk refuses what does not fit, keeps what was acknowledged, and the store goes on", async () => {
    const executor = sqliteExecutor({ path });
    const storage = sqlStorage(executor);
    await storage.migrate?.([model]);
    const notes = storage.collection(model);
    await notes.insert(note("before"), {});
    await limitPages(executor, 20);
    const big = "x".repeat(20_000);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => notes.insert(note(index % 2 === 0 ? `small ${index}` : `${index} ${big}`), {})),
    );
    const acknowledged = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" && outcome.value.ok ? [outcome.value.row["text"]] : []));
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as Error] : []));
    expect(refused.length).toBeGreaterThan(0);
    for (const error of refused) expect(error).toBeInstanceOf(Unavailable);
    for (const error of refused) expect(error).toMatchObject({ wroteNothing: true });
    expect(refused[0]?.message).toContain("the disk is full. Free some space.");
    const stored = (await notes.find({ sort: [{ path: ["id"], dir: "asc" }], limit: 100 }, {})).map((row) => row["text"]);
    expect(stored).toEqual(["before", ...acknowledged]);
    await expect(storage.transaction?.(async (tx) => tx.collection(model).insert(note(big), {}))).rejects.toThrow(Unavailable);
    await limitPages(executor, 1_000_000);
    expect((await notes.insert(note(big), {})).ok).toBe(true);
    await storage.close?.();
  });

  test("a closed store says so, and closes twice without complaint", async () => {
    const storage = sqliteStorage({ path });
    await storage.migrate?.([model]);
    const last = storage.collection(model).insert(note("accepted before"), {});
    await Promise.all([storage.close?.(), storage.close?.()]);
    expect((await last).ok).toBe(true);
    await expect(storage.collection(model).get(1, {})).rejects.toThrow("The SQLite database is closed.");
    await expect(storage.collection(model).insert(note("late"), {})).rejects.toThrow(Unavailable);
  });
});

/** On the connection that writes: the setting is the connection's own. */
async function limitPages(executor: ReturnType<typeof sqliteExecutor>, pages: number): Promise<void> {
  await executor.query({ text: `pragma max_page_count = ${pages}`, values: [], writes: true, returns: "many" });
}
