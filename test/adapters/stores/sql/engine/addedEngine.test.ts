// @long

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  idempotencyContract,
  jobContract,
  rateLimitContract,
  storageContract,
  subscriberContract,
  uploadContract,
  webhookContract,
} from "restwright/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { SqlExecutor } from "../../../../../adapters/stores/sql/engine/executor.js";
import { storageIn } from "../../../../../adapters/stores/sql/storage.js";
import { testContract } from "../../records/contractTests.js";
import { loftDialect } from "./loft/dialect.js";
import { loftExecutor } from "./loft/executor.js";

const executors: SqlExecutor[] = [];
const sent: string[] = [];
const folder = mkdtempSync(join(tmpdir(), "restwright-"));
afterAll(async () => {
  await Promise.all(executors.map(async (executor) => executor.close?.()));
  rmSync(folder, { recursive: true, force: true });
});

/** A storage by what an engine adds: a dialect and an executor. */
function openStorage(path = ":memory:") {
  const executor = loftExecutor(path, sent);
  executors.push(executor);
  return storageIn(loftDialect, executor);
}

async function open() {
  const storage = openStorage();
  await storage.migrate?.([]);
  return { storage };
}

const reopen = async () => openStorage(join(folder, "data.db"));

describe("an engine that is only a dialect and an executor", async () => {
  const cases = [
    ...(await storageContract({ open: reopen, reopen })),
    ...(await jobContract({ open })),
    ...(await webhookContract({ open })),
    ...(await subscriberContract({ open })),
    ...(await uploadContract({ open })),
    ...(await idempotencyContract({ open })),
    ...(await rateLimitContract({
      open: async () => {
        const { rateLimits } = (await open()).storage;
        if (rateLimits === undefined) throw new Error("The storage has no rate limits.");
        return { store: rateLimits };
      },
    })),
  ];
  testContract(cases, ["loft ends no operation with an insert"]);

  test("says its own name, and that it has no tables of the developer", async () => {
    const storage = openStorage();
    expect(storage.name).toBe("loft");
    expect(storage.mapsTables).toBe(false);
    await expect(storage.transaction?.(async (tx) => tx.sql?.("select 1; select 2", []))).rejects.toThrow("Loft would run only the first of these");
  });

  test("gets no statement in the words of another engine", () => {
    expect(sent.length).toBeGreaterThan(1_000);
    const foreign =
      /\?|\$\d|round\(unixepoch|json_extract\(item|value as item from|autoincrement primary|nulls first\)|for update|advisory|or abort|cross join lateral/;
    expect(sent.filter((text) => foreign.test(text.replaceAll(/'[^']*'|"[^"]*"/g, "")))).toEqual([]);
  });
});
