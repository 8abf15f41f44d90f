import { createHash } from "node:crypto";
import { mkdtempSync, openAsBlob, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient } from "restwright/client";
import { startUpload } from "restwright/client/uploads";
import type { createShop } from "../../examples/shop/api.js";
import { startShop } from "../e2e/shop/shopProcess.js";

/**
 * The client with files and lists of real sizes: `npx tsx test/long/client.ts --rows 1000000 --walk 100000 --bytes 1073741824`. The shop runs in a process of its own, below
 * `/v1`, behind a proxy whose connections are cut: twice while an import shows its progress, and every half second while a file is uploaded. Exits with 1 where rows or
 * bytes are missing or there twice, where progress goes back, or where the memory of the client grows by more than 150 MB.
 */
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    walk: { type: "string", default: "100000" },
    bytes: { type: "string", default: "1073741824" },
  },
});
const rows = Number(values.rows);
const walked = Number(values.walk);
const bytes = Number(values.bytes);
const maxGrowth = 150_000_000;

const folder = mkdtempSync(join(tmpdir(), "restwright-client-"));
const shop = await startShop("fastify", { DATA_DIR: folder, BASE_PATH: "/v1", COMPRESSION: "off" });
const proxy = await cutProxy(Number(new URL(shop.origin).port));
const client = createClient<ReturnType<typeof createShop>>({ baseUrl: `http://127.0.0.1:${proxy.port}/v1`, maxRetries: 10 });
const faults: string[] = [];
const check = (isTrue: boolean, fault: string) => void (isTrue || faults.push(fault));
try {
  await importRows();
  await exportRows();
  await walkRows();
  await uploadFile();
} finally {
  proxy.close();
  await shop.stop("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

/** The most that the resident memory of this process grew by, in bytes. */
async function growthDuring(run: () => Promise<void>): Promise<{ growth: number; seconds: number }> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  const begunMs = performance.now();
  await run();
  clearInterval(watch);
  return { growth: peak - before, seconds: Math.round((performance.now() - begunMs) / 1_000) };
}

function report(what: string, { growth, seconds }: { growth: number; seconds: number }, more = ""): void {
  console.log(`${what} in ${seconds} s; memory +${Math.round(growth / 1_000_000)} MB${more}`);
  check(growth <= maxGrowth, `${what}: memory grew by ${growth} bytes.`);
}

async function importRows(): Promise<void> {
  const path = join(folder, "users.csv");
  const file = await open(path, "w");
  await file.write("name,email\n");
  for (let from = 0; from < rows; from += 10_000) {
    const lines = Array.from({ length: Math.min(10_000, rows - from) }, (_, index) => `User ${from + index},user${from + index}@example.com\n`);
    await file.write(lines.join(""));
  }
  await file.close();
  const progress: number[] = [];
  const spent = await growthDuring(async () => {
    const job = await client.users.import(await openAsBlob(path), { format: "csv" });
    for await (const state of job) {
      progress.push(state.progress);
      if (progress.length === 3 || progress.length === 6) proxy.cut();
    }
    const { created, failed } = await job.result();
    check(created === rows && failed === 0, `The import created ${created} rows; ${failed} failed.`);
  });
  check(progress.at(-1) === 1, `The progress ended at ${progress.at(-1)}.`);
  check(
    progress.every((each, index) => each >= (progress[index - 1] ?? 0)),
    "The progress went back.",
  );
  report(`${rows} rows imported`, spent, `; ${progress.length} states, connections cut twice`);
}

async function exportRows(): Promise<void> {
  let count = 0;
  let sum = 0;
  const spent = await growthDuring(async () => {
    for await (const { id } of client.users.export({ fields: ["id"] })) {
      count += 1;
      sum += id;
    }
  });
  check(count === rows && sum === (rows * (rows + 1)) / 2, `The export has ${count} rows with the sum ${sum}.`);
  report(`${rows} rows exported`, spent);
}

async function walkRows(): Promise<void> {
  const ids = new Set<number>();
  let doubled = 0;
  let changes = 0;
  const removed = new Set<number>();
  const spent = await growthDuring(async () => {
    for await (const { id } of client.users.walk({ sort: "id", fields: ["id"], perPage: 100, where: { id: { lte: walked } } })) {
      if (ids.has(id)) doubled += 1;
      ids.add(id);
      if (ids.size % 1_000 !== 0) continue;
      changes += 1;
      await client.users.create({ name: "Meanwhile", email: `meanwhile${changes}@example.com` });
      const gone = Math.min(walked, id + 500);
      if (gone > id) await client.users.remove(gone);
      removed.add(gone);
    }
  });
  check(doubled === 0, `${doubled} rows came twice.`);
  const missing = Array.from({ length: walked }, (_, index) => index + 1).filter((id) => !ids.has(id) && !removed.has(id)).length;
  check(missing === 0, `${missing} rows that stayed did not come.`);
  report(`${ids.size} rows walked`, spent, `; ${changes} inserted and removed meanwhile`);
}

async function uploadFile(): Promise<void> {
  const path = join(folder, "upload.bin");
  const file = await open(path, "w");
  const hash = createHash("sha256");
  const block = Buffer.alloc(1_048_576, 1);
  for (let at = 0; at < bytes; at += block.length) {
    block.writeUInt32LE(at % 4_294_967_296, 0);
    const piece = block.subarray(0, Math.min(block.length, bytes - at));
    hash.update(piece);
    await file.write(piece);
  }
  await file.close();
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  };
  const blob = await openAsBlob(path, { type: "application/octet-stream" });
  const offsets: number[] = [];
  const spent = await growthDuring(async () => {
    const cuts = setInterval(() => proxy.cut(), 500);
    const reloaded = new AbortController();
    const options = {
      storage,
      filename: "upload.bin",
      fingerprint: () => "upload",
      onProgress: ({ sentBytes }: { readonly sentBytes: number }) => void offsets.push(sentBytes),
    };
    const first = startUpload(client, blob, {
      ...options,
      signal: reloaded.signal,
      onProgress: ({ sentBytes }) => sentBytes > bytes / 2 && reloaded.abort(),
    });
    await first.done.catch(() => undefined);
    const { sha256, size } = await startUpload(client, blob, options).done;
    clearInterval(cuts);
    check(size === bytes && sha256 === hash.digest("hex"), "The uploaded file is another one.");
  });
  check((offsets[0] ?? 0) > bytes / 4, `After the reload the upload went on at ${offsets[0]}.`);
  report(`${bytes} bytes uploaded`, spent, `; connections cut every 500 ms, begun again at ${offsets[0]}`);
}

/** Passes bytes on, until its connections are cut. */
async function cutProxy(port: number) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = dial(port, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    close() {
      cut();
      server.close();
    },
  };
}
