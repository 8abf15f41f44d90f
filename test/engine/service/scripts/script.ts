import { createService, defineResource, type Storage } from "restwright";
import { createClient } from "restwright/client";
import { startUpload } from "restwright/client/uploads";
import { diskBlobs } from "restwright/disk";
import { hooks } from "restwright/hooks";
import { jobs } from "restwright/jobs";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { subscribers } from "restwright/subscribers";
import { transfer } from "restwright/transfer";
import { uploads } from "restwright/uploads";
import { z } from "zod";
import { Retryable } from "../../../../src/ground/storage/errors.js";
import type { TransactionOptions } from "../../../../src/ground/storage/storage.js";

/*
 * A script of a developer: it opens a service, does one thing, prints what came of it, and has nothing else that keeps its process alive.
 * Arguments: the store, what to do, a folder for files.
 */
const [store, task = "", folder = ""] = process.argv.slice(2);
let conflicts = 0;
const stored = store === "memory" ? memoryStorage() : sqliteStorage({ path: `${folder}/data.sqlite` });
const transaction = stored.transaction as NonNullable<Storage["transaction"]>;
/** The store, whose next transactions fail as they do when others write at the same time. */
const storage: Storage = {
  ...stored,
  async transaction<R>(run: (tx: Storage) => Promise<R>, options?: TransactionOptions): Promise<R> {
    if (conflicts > 0) {
      conflicts -= 1;
      throw new Retryable("Another transaction was first.");
    }
    return transaction.call(stored, run, options) as Promise<R>;
  },
};

const schema = z.object({ id: z.int(), n: z.int() });
const notes = defineResource("notes", {
  schema,
  generated: { id: "increment" },
  events: { "note.seen": { on: "create" } },
});
const plain = defineResource("plain", { schema, generated: { id: "increment" } });
const slow = defineResource("slow", {
  schema,
  generated: { id: "increment" },
  hooks: { beforeWrite: ({ next }) => (next?.n === 0 ? new Promise<undefined>(() => {}) : undefined) },
});
const service = createService({
  resources: [notes, plain, slow],
  storage,
  secrets: ["a secret of the service itself, long enough"],
  limits: { hookMs: 50 },
  idempotency: { waitMs: 5_000 },
  logger: false,
  use: [
    hooks(),
    jobs(),
    transfer({ blobs: diskBlobs({ path: folder }) }),
    subscribers(),
    uploads({ blobs: diskBlobs({ path: folder }), types: "any" }),
  ],
});
service.on("*", { name: "seen" }, () => {});
await service.start();
const shop = service.asSystem();
const client = createClient<typeof service>({ baseUrl: "http://localhost", fetch: service.fetch });
const json = { "content-type": "application/json" };

const tasks: Readonly<Record<string, () => Promise<unknown>>> = {
  async update() {
    await shop.plain.create({ n: 0 });
    await Promise.all(Array.from({ length: 5 }, () => shop.plain.update(1, ({ n }) => ({ n: n + 1 }))));
    return (await shop.plain.get(1)).n;
  },
  async transaction() {
    conflicts = 2;
    await service.transaction({ id: "ann" }, async (tx) => void (await tx.of(plain).create({ n: 7 })));
    return (await shop.plain.get(1)).n;
  },
  async hook() {
    return shop.slow.create({ n: 0 }).catch(({ code }) => code);
  },
  async key() {
    const headers = { ...json, "idempotency-key": "three-requests-of-one-operation" };
    const post = () => service.fetch(new Request("http://localhost/notes", { method: "POST", body: '{"n":1}', headers }));
    return (await Promise.all([post(), post(), post()])).map(({ status }) => status).join();
  },
  async client() {
    conflicts = 1;
    await client.notes.create({ n: 1 });
    await Promise.all([1, 2, 3].map((n) => client.notes.update(1, { n })));
    return (await client.notes.list()).data.length;
  },
  async import() {
    conflicts = 2;
    const job = await client.plain.import("n\n1\n2\n", { format: "csv" });
    return ((await job.result()) as { created: number }).created;
  },
  async importNow() {
    conflicts = 2;
    const request = new Request("http://localhost/plain/import", { method: "POST", body: "n\n1\n2\n", headers: { "content-type": "text/csv" } });
    return (await service.fetch(request)).status;
  },
  async export() {
    await shop.plain.create({ n: 5 });
    const part = { where: { or: [{ n: 5 }, { n: 6 }] } };
    // A query string cannot say it, so the first is a job.
    const files = [await client.plain.export(part).blob(), await client.plain.export().blob()];
    return (await Promise.all(files.map((file) => file.text()))).join("").trim().replaceAll(/\s+/g, " ");
  },
  async upload() {
    const { size } = await startUpload(client, new Blob([new Uint8Array(3_000_000)]), { storage: false }).done;
    return size;
  },
  async uploadNow() {
    const headers = { "content-type": "application/octet-stream", "content-disposition": 'attachment; filename="zeros"' };
    const request = new Request("http://localhost/uploads", { method: "POST", body: new Uint8Array(9_000_000), headers });
    return (await service.fetch(request)).status;
  },
  /** Nothing: what a service does in the background keeps no process alive. */
  async idle() {
    await shop.notes.create({ n: 1 });
    return "idle";
  },
};

process.stdout.write(`${String(await tasks[task]?.())}\n`);
