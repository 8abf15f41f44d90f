// @slow

import { postgresStorage } from "restwright/postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import { needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

/** A storage whose connections have this setting of the operator. */
async function open(setting?: string) {
  const schema = ownSchema();
  const address = new URL(await schema.create());
  if (setting !== undefined) address.searchParams.set("options", `${address.searchParams.get("options")} -c ${setting}`);
  const storage = postgresStorage({ connectionString: address.href, poolSize: 1 });
  onTestFinished(async () => {
    await storage.close?.();
    await schema.drop();
  });
  return storage;
}

const timeout = "select current_setting('idle_in_transaction_session_timeout') as idle, current_setting('lock_timeout') as lock";

describe("a transaction that sends nothing, on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  test.each([
    ["that of the library", undefined, { idle: "1min", lock: "5s" }],
    ["that of the operator", "idle_in_transaction_session_timeout=7s", { idle: "7s", lock: "5s" }],
  ])("has %s as the longest time", async (_, setting, expected) => {
    const storage = await open(setting);
    // Twice on one connection, which does not keep them.
    for (let turn = 0; turn < 2; turn++) expect(await storage.transaction?.(async (tx) => tx.sql?.(timeout, []))).toEqual([expected]);
  });

  test("loses its writes and its locks, and the next one finds a connection", async () => {
    const storage = await open("idle_in_transaction_session_timeout=50ms");
    await storage.transaction?.(async (tx) => tx.sql?.("create table notes (n int)", []));
    const suspended = storage.transaction?.(async (tx) => {
      await tx.sql?.("insert into notes values (1)", []);
      // As a process that was suspended goes on much later.
      await new Promise((resolve) => setTimeout(resolve, 500));
      await tx.sql?.("insert into notes values (2)", []);
    });
    await expect(suspended).rejects.toBeInstanceOf(Unavailable);
    expect(await storage.transaction?.(async (tx) => tx.sql?.("select n from notes", []))).toEqual([]);
  });
});
