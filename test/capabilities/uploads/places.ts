import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BlobStore, Storage } from "restwright";
import { diskBlobs } from "restwright/disk";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { test } from "vitest";
import { isMissing, needs } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/** Where uploads are kept. */
export interface UploadPlace {
  /** New stores on the same data, as another process would open them; who closes the service closes them. */
  stores(): { readonly storage: Storage; readonly blobs: BlobStore };
  remove(): Promise<void>;
}

/** Every way in which a service can keep uploads by itself. */
export const uploadPlaces: readonly (readonly [string, () => Promise<UploadPlace>])[] = [
  ["memory", inMemory],
  ["SQLite and disk", sqliteAndDisk],
  ...(isMissing("postgres") ? [] : [["PostgreSQL and disk", postgresAndDisk] as const]),
];

if (isMissing("postgres")) test("uploads on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {});

async function inMemory(): Promise<UploadPlace> {
  const stores = { storage: memoryStorage(), blobs: memoryBlobs() };
  return { stores: () => stores, remove: async () => {} };
}

async function sqliteAndDisk(): Promise<UploadPlace> {
  const folder = await mkdtemp(join(tmpdir(), "restwright-uploads-"));
  return {
    stores: () => ({ storage: sqliteStorage({ path: join(folder, "uploads.db") }), blobs: diskBlobs({ path: join(folder, "blobs") }) }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function postgresAndDisk(): Promise<UploadPlace> {
  const schema = ownSchema();
  const connectionString = await schema.create();
  const folder = await mkdtemp(join(tmpdir(), "restwright-uploads-"));
  return {
    stores: () => ({ storage: postgresStorage({ connectionString }), blobs: diskBlobs({ path: join(folder, "blobs") }) }),
    async remove() {
      await schema.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
