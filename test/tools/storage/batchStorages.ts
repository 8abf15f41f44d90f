import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { onTestFinished, test } from "vitest";
import { isMissing, needs } from "../engines.js";
import { boundStorage } from "./boundStorage.js";
import { ownSchema } from "./postgresSchema.js";

/** A place that outlives the services on it: each opening is a store on the same rows. */
export interface StoragePlace {
  open(): Storage;
}

/** Every kind of storage that has transactions, each empty. */
export const storagePlaces: readonly [string, () => Promise<StoragePlace>][] = [
  ["memory", async () => kept(memoryStorage())],
  ["SQLite in memory", async () => kept(sqliteStorage({ path: ":memory:" }))],
  ["SQLite in a file", sqliteFile],
  ...(isMissing("postgres") ? [] : [["PostgreSQL", postgresPlace] as [string, () => Promise<StoragePlace>]]),
];

if (isMissing("postgres")) test("batches on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {});

/** One store for all openings: it has nowhere else to keep its rows, so that closing it has to wait. */
function kept(storage: Storage): StoragePlace {
  onTestFinished(async () => storage.close?.());
  return { open: () => boundStorage(storage, { close: async () => {} }) };
}

async function sqliteFile(): Promise<StoragePlace> {
  const folder = mkdtempSync(join(tmpdir(), "restwright-batch-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return opening(() => sqliteStorage({ path: join(folder, "shop.db") }));
}

async function postgresPlace(): Promise<StoragePlace> {
  const schema = ownSchema();
  const connectionString = await schema.create();
  onTestFinished(() => schema.drop());
  return opening(() => postgresStorage({ connectionString }));
}

/** Closes what is still open when the test is over; hooks run in the opposite order of their making. */
function opening(make: () => Storage): StoragePlace {
  return {
    open() {
      const storage = make();
      onTestFinished(async () => storage.close?.());
      return storage;
    },
  };
}
