import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { postgresUrl } from "../../tools/engines.js";
import { pairs } from "../../tools/extent.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { hosts } from "./shopProcess.js";

/** A storage of its own for a test, and what removes it. */
export type OpenStorage = () => Promise<readonly [Storage, () => Promise<void>]>;

async function openSqlite() {
  const folder = mkdtempSync(join(tmpdir(), "shop-"));
  return [sqliteStorage({ path: join(folder, "shop.db") }), async () => rmSync(folder, { recursive: true })] as const;
}

async function openPostgres() {
  const schema = ownSchema();
  return [postgresStorage({ connectionString: await schema.create() }), () => schema.drop()] as const;
}

/** Every storage that there is here. */
export const shopStores: readonly (readonly [name: string, open: OpenStorage])[] = [
  ["memory", async () => [memoryStorage(), async () => {}]],
  ["SQLite", openSqlite],
  ...(postgresUrl === undefined ? [] : [["PostgreSQL", openPostgres] as const]),
];

/** Every framework and every storage that there is here; each with each other in a full run. */
export const shopPlaces = pairs(hosts, shopStores).map(([host, [store, open]]) => [host, store, open] as const);
