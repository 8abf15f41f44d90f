// @long

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStorage } from "restwright/sqlite";
import { storageContract } from "restwright/testing";
import { afterAll, describe, test } from "vitest";
import { onlyIf } from "../../../tools/engines.js";

const folder = mkdtempSync(join(tmpdir(), "restwright-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const paths = new WeakMap<object, string>();

async function openFile() {
  files += 1;
  const path = join(folder, `${files}.db`);
  const storage = sqliteStorage({ path });
  paths.set(storage, path);
  return storage;
}

const checks = await storageContract({
  open: openFile,
  async reopen(storage) {
    const path = paths.get(storage) ?? "";
    await storage.close?.();
    return sqliteStorage({ path });
  },
});

describe("SQLite in a file", () => {
  for (const { name, skip, run } of checks) test(name, onlyIf(skip === undefined, skip ?? ""), run);
});
