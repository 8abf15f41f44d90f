// @long

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStorage } from "restwright/sqlite";
import { storageContract } from "restwright/testing";
import { afterAll, describe } from "vitest";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import { mappedSqlite, type SqliteStyle } from "./mappedSqlite.js";
import { notKept, runScenarios } from "./runScenarios.js";

const styles: Readonly<Record<string, SqliteStyle>> = {
  "the hash of a row": { version: "hash", instants: "iso" },
  "an integer that this library counts": { version: { column: "lock_version", by: "restwright" }, instants: "epoch-ms" },
  "the hash of a row, without row ids": { version: "hash", instants: "epoch-ms", isWithoutRowid: true },
  "an integer that a trigger counts": { version: { column: "lock_version", by: "trigger" }, instants: "iso" },
};

/** SQLite folds ASCII only, without a column of the developer for it. */
const ofUnicode = [
  ...[
    "filter folded › ",
    "filter json › json: folded",
    "filter related › ",
    "filter text › folded",
    "filter text › not folded",
    "filter text › search",
  ],
  ...["unique keys › unique code: NFC", "unique keys › unique email: folded É"],
];

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
    runScenarios(name, await storageContract({ open, reopen }), [...notKept, ...ofUnicode]);
  });
}
