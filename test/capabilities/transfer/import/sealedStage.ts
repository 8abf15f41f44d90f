import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type BlobStore, defineResource, type Service, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { onTestFinished, test } from "vitest";
import { z } from "zod";
import { bytesOf, keysOf } from "../../../adapters/stores/blobs/blobContents.js";
import { clientOf, type Sent } from "../../../tools/client.js";
import { isMissing, needs } from "../../../tools/engines.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";
import { boundStorage, jobsOf } from "../../../tools/storage/boundStorage.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

/** Is in every password that these tests send. */
export const marker = "hunter2-in-plain";

export const hashOf = (password: string) => createHash("sha256").update(password).digest("hex");

/** Passwords are write-only and stored as hashes, so that a password is nowhere in the storage after the write. */
export const members = defineResource("members", {
  schema: z.object({ id: z.int(), name: z.string().min(1), password: z.string().min(8), age: z.int().optional() }),
  generated: { id: "increment" },
  unique: ["name"],
  access: { password: { read: false } },
  hooks: {
    beforeWrite: ({ changes }) => (changes?.password === undefined ? undefined : { password: hashOf(changes.password) }),
  },
  actions: ({ action }) => ({
    reset: action({
      on: "row",
      batch: true,
      input: z.object({ password: z.string() }),
      run: async ({ input }) => ({ password: hashOf(input.password) }),
    }),
  }),
});

/** Has no write-only field. */
export const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), text: z.string() }),
  generated: { id: "increment" },
});

/** A storage that outlives the services on it, and everything that it contains as text. */
export interface SealedPlace {
  open(): Storage;
  contents(): Promise<string>;
}

/** Every kind of storage that keeps jobs. */
export const sealedPlaces: readonly [string, () => Promise<SealedPlace>][] = [
  ["memory", memoryPlace],
  ["SQLite", sqlitePlace],
  ...(isMissing("postgres") ? [] : [["PostgreSQL", postgresPlace] as [string, () => Promise<SealedPlace>]]),
];

if (isMissing("postgres")) test("sealed requests on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {});

const types = ["batch", "import"];

async function memoryPlace(): Promise<SealedPlace> {
  const storage = memoryStorage();
  return {
    open: () => boundStorage(storage, { close: async () => {}, subscribers: storage.subscribers }),
    async contents() {
      const jobs = jobsOf(storage);
      const claimed = await jobs.claim({ types, leaseMs: 60_000, max: 100, maxPerTenant: 100 });
      for (const { lease } of claimed) await jobs.release(lease, { delayMs: 0, failed: false });
      return JSON.stringify(claimed);
    },
  };
}

interface Database {
  prepare(text: string): { all(): readonly Record<string, unknown>[] };
  close(): void;
}

async function sqlitePlace(): Promise<SealedPlace> {
  const folder = mkdtempSync(join(tmpdir(), "restwright-sealed-"));
  const path = join(folder, "jobs.db");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return {
    open: () => sqliteStorage({ path }),
    async contents() {
      const sqlite = process.getBuiltinModule("node:sqlite") as { DatabaseSync: new (path: string) => Database } | undefined;
      const Database = sqlite?.DatabaseSync ?? (createRequire(import.meta.url)("libsql") as new (path: string) => Database);
      const database = new Database(path);
      const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
      const rows = tables.flatMap(({ name }) => database.prepare(`select * from "${String(name)}"`).all());
      database.close();
      return textOf(rows);
    },
  };
}

async function postgresPlace(): Promise<SealedPlace> {
  const schema = ownSchema();
  const connectionString = await schema.create();
  onTestFinished(() => schema.drop());
  return {
    open: () => postgresStorage({ connectionString }),
    async contents() {
      const client = new pg.Client({ connectionString });
      await client.connect();
      const tables = await client.query("select table_name from information_schema.tables where table_schema = current_schema()");
      const rows: unknown[] = [];
      for (const { table_name } of tables.rows) rows.push(...(await client.query(`select * from "${table_name}"`)).rows);
      await client.end();
      return textOf(rows);
    },
  };
}

function textOf(rows: readonly unknown[]): string {
  return JSON.stringify(rows, (_, value) => {
    const bytes = value?.type === "Buffer" ? Buffer.from(value.data) : value instanceof Uint8Array ? Buffer.from(value) : undefined;
    return bytes === undefined ? (typeof value === "bigint" ? String(value) : value) : bytes.toString("latin1");
  });
}

/** All blobs as text. */
export async function blobContents(blobs: BlobStore): Promise<string> {
  const texts = [];
  for (const key of await keysOf(blobs)) texts.push((await bytesOf(blobs, key)).toString("latin1"));
  return texts.join("\n");
}

/** All files of a folder as text. */
export function folderContents(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("\n");
}

/** A process on a storage. */
export function sealedService(storage: Storage, options: Partial<FullServiceOptions> = {}) {
  const service: Service = fullService({ resources: [members, notes], storage, auth: [bearer((id) => ({ id }))], ...options });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await service.close({ graceMs: 0 });
    isClosed = true;
  };
  onTestFinished(close);
  const client = clientOf(service);
  const send = (sent: Sent) => client({ ...sent, headers: { authorization: "Bearer ada", ...sent.headers } });
  return { service, send, close };
}
