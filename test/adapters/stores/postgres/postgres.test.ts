// @slow

import { postgresStorage } from "restwright/postgres";
import { storageContract } from "restwright/testing";
import { afterAll, describe, test } from "vitest";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { needs, onlyIf, postgresUrl } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

describe("PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), async () => {
  if (postgresUrl === undefined) {
    test("needs a server", () => {});
    return;
  }
  const schema = ownSchema();
  const connectionString = await schema.create();
  const opened = new Set<Storage>();
  const open = async () => {
    const storage = postgresStorage({ connectionString });
    opened.add(storage);
    return storage;
  };
  const reopen = async (storage: Storage) => {
    await storage.close?.();
    return open();
  };
  afterAll(async () => {
    for (const storage of opened) await storage.close?.();
    await schema.drop();
  });

  for (const { name, skip, run } of await storageContract({ open, reopen })) test(name, onlyIf(skip === undefined, skip ?? ""), run);
});
