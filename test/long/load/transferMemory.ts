import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * The memory of a server while it imports and exports: `npx tsx test/long/load/transferMemory.ts --rows 1000000`, or `--bytes 2000000000` with long rows. The server runs
 * with a heap of 96 MiB. Exits with 1 where its resident memory grows by more than 100 MB, or rows are missing.
 */
const { values } = parseArgs({
  options: { rows: { type: "string", default: "1000000" }, bytes: { type: "string" }, allowed: { type: "string", default: "100" } },
});
const longText = values.bytes === undefined ? "" : "x".repeat(2_000);
const rows = values.bytes === undefined ? Number(values.rows) : Math.ceil(Number(values.bytes) / (longText.length + 50));
let slowestMs = 0;
const allowedBytes = Number(values.allowed) * 1_000_000;

const folder = mkdtempSync(join(tmpdir(), "restwright-memory-"));
const program = fileURLToPath(new URL("../../e2e/kills/workers/importWorker.ts", import.meta.url));
const server = spawn(process.execPath, ["--max-old-space-size=96", "--max-semi-space-size=8", "--import", "tsx", program], {
  env: { ...process.env, SQLITE_PATH: join(folder, "things.db"), BLOBS_PATH: join(folder, "blobs"), JOB_LEASE_MS: "60000" },
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const [port] = (await once(createInterface(server.stdout), "line")) as [string];
  const origin = `http://127.0.0.1:${port}`;
  await importRows(origin, "warm", 2_000);
  await exportRows(origin);
  await sleep(1_000);
  const idle = memoryOf(server);
  const imported = await during(server, () => importRows(origin, "long", rows));
  const exported = await during(server, () => exportRows(origin));
  const line = [
    `${rows} rows, ${Math.round(imported.result.bytes / 1_000_000)} MB`,
    `idle ${megabytes(idle)}`,
    `import +${megabytes(imported.peak - idle)} in ${Math.round(imported.ms / 1_000)} s`,
    `export +${megabytes(exported.peak - idle)} in ${Math.round(exported.ms / 1_000)} s, ${exported.result} lines`,
    `slowest answer meanwhile ${Math.round(imported.slowestMs)} ms`,
  ];
  console.log(line.join("; "));
  const isFlat = imported.peak - idle <= allowedBytes && exported.peak - idle <= allowedBytes;
  process.exitCode = isFlat && exported.result === rows + 2_001 ? 0 : 1;
} finally {
  server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}

/** Resident memory, in bytes. */
function memoryOf({ pid }: ChildProcess): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
  return Number(kilobytes) * 1_024;
}

async function during<R>(child: ChildProcess, run: () => Promise<R>) {
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryOf(child));
  }, 50);
  const begunMs = performance.now();
  slowestMs = 0;
  const result = await run();
  clearInterval(watch);
  return { result, peak, ms: performance.now() - begunMs, slowestMs };
}

async function importRows(origin: string, name: string, count: number): Promise<{ readonly bytes: number }> {
  let bytes = 0;
  const lines = function* () {
    yield "import,item\n";
    for (let from = 0; from < count; from += 500) {
      const part = Array.from({ length: Math.min(500, count - from) }, (_, index) => `${name}${longText},${from + index}\n`).join("");
      bytes += part.length;
      yield part;
    }
  };
  const sent = request(`${origin}/imports?collection=things`, { method: "POST", headers: { "content-type": "text/csv" } });
  const answered = once(sent, "response");
  await pipeline(Readable.from(lines(), { objectMode: false }), sent);
  const [response] = (await answered) as [import("node:http").IncomingMessage];
  response.resume();
  if (response.statusCode !== 202) throw new Error(`An import was answered ${response.statusCode}.`);
  await untilCompleted(`${origin}${response.headers.location}`, count);
  return { bytes };
}

async function untilCompleted(address: string, count: number): Promise<void> {
  for (;;) {
    const begunMs = performance.now();
    const job = (await (await fetch(address)).json()) as { status: string; result: { created: number } };
    slowestMs = Math.max(slowestMs, performance.now() - begunMs);
    if (job.status === "completed" && job.result.created === count) return;
    if (job.status === "completed" || job.status === "failed") throw new Error(`An import ended so: ${JSON.stringify(job)}`);
    await sleep(100);
  }
}

/** @returns lines */
async function exportRows(origin: string): Promise<number> {
  const response = await fetch(`${origin}/things/export?format=csv&fields=import,item`);
  if (response.body === null || response.status !== 200) throw new Error(`An export was answered ${response.status}.`);
  let lines = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) for (const byte of chunk) if (byte === 10) lines += 1;
  return lines;
}
