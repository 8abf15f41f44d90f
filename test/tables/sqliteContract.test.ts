import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStorage } from "restwright/sqlite";
import { storageContract } from "restwright/testing";
import { afterAll, describe, test } from "vitest";
import type { Storage } from "../../src/storage/storage.js";
import { mappedSqlite, type SqliteStyle } from "./mappedSqlite.js";

const styles: Readonly<Record<string, SqliteStyle>> = {
  "the hash of a row": { version: "hash", instants: "iso" },
  "an integer that this library counts": { version: { column: "lock_version", by: "restwright" }, instants: "epoch-ms" },
  "an integer that a trigger counts": { version: { column: "lock_version", by: "trigger" }, instants: "iso" },
};

const folder = mkdtempSync(join(tmpdir(), "restwright-mapped-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const [name, style] of Object.entries(styles)) {
  describe(`SQLite tables of a developer whose version is ${name}`, async () => {
    const paths = new WeakMap<Storage, string>();
    let files = 0;
    const openPath = (path: string) => {
      const storage = mappedSqlite(sqliteStorage({ path }), style);
      paths.set(storage, path);
      return storage;
    };
    const open = async () => openPath(join(folder, `${name.replaceAll(" ", "-")}${++files}.db`));
    const reopen = async (storage: Storage) => {
      await storage.close?.();
      return openPath(paths.get(storage) ?? "");
    };
    for (const { name, skip, run } of await storageContract({ open, reopen })) test(name, { skip: skip !== undefined }, run);
  });
}
