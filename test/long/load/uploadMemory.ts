import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { requireFreeDisk } from "../../e2e/requireFreeDisk.js";
import { forgetPeak, peakBytes, residentBytes } from "../../e2e/uploads/peakMemory.js";

/**
 * The memory of a server while one large file comes in or goes out: `npx tsx test/long/load/uploadMemory.ts --bytes 2000000000`, on Linux. The file comes in a form, as a
 * plain body, and as one PATCH of a resumable upload; then it is downloaded. Exits with 1 where the server ever has more than 64 MiB more than when it was idle, or
 * bytes are missing.
 */
const { values } = parseArgs({
  options: {
    bytes: { type: "string", default: "2000000000" },
    /** In MiB. */
    allowed: { type: "string", default: "64" },
    folder: { type: "string", default: tmpdir() },
  },
});
const mebibyte = 1_048_576;
const bytes = Number(values.bytes);
const allowedBytes = Number(values.allowed) * mebibyte;
const piece = randomBytes(mebibyte);
const boundary = "----memory7a9e2046";

// The plain file is still there when the resumable one comes.
await requireFreeDisk(values.folder, 2 * bytes);
const folder = mkdtempSync(join(values.folder, "restwright-memory-"));
const program = fileURLToPath(new URL("../../e2e/uploads/uploadMemoryWorker.ts", import.meta.url));
const server = spawn(process.execPath, ["--import", "tsx", program], {
  env: { ...process.env, SQLITE_PATH: join(folder, "uploads.db"), BLOBS_PATH: join(folder, "blobs") },
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const [port] = (await once(createInterface(server.stdout), "line")) as [string];
  const origin = `http://127.0.0.1:${port}`;
  const { pid } = server;
  if (pid === undefined) throw new Error("The server has no process.");
  for (const way of waysOf(origin, mebibyte)) await way.run();
  await sleep(1_000);
  const idle = residentBytes(pid);
  console.log(`${Math.round(bytes / mebibyte)} MiB; idle ${mebibytes(idle)} MiB`);
  for (const { name, run } of waysOf(origin, bytes)) {
    forgetPeak(pid);
    const begunMs = performance.now();
    await run();
    const grown = peakBytes(pid) - idle;
    console.log(`${name}: ${mebibytes(grown)} MiB over idle in ${Math.round((performance.now() - begunMs) / 1_000)} s`);
    if (grown > allowedBytes) process.exitCode = 1;
  }
} finally {
  server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}

/** The ways of a file of so many bytes, in their order: the last one fetches and removes what another has left. Each throws where bytes are missing. */
function waysOf(origin: string, size: number): readonly { readonly name: string; run(): Promise<void> }[] {
  let plain: { readonly id: string; readonly url: string };
  return [
    { name: "form", run: () => sendForm(origin, size) },
    {
      name: "plain body",
      async run() {
        plain = await sendPlain(origin, size);
      },
    },
    { name: "one PATCH", run: () => sendPatch(origin, size) },
    {
      name: "download",
      async run() {
        await download(origin + plain.url, size);
        await answered("DELETE", `${origin}/uploads/${plain.id}`, 204);
      },
    },
  ];
}

async function sendForm(origin: string, size: number): Promise<void> {
  const opening = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="file.bin"\r\n\r\n`;
  const closing = `\r\n--${boundary}--\r\n`;
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}`, "content-length": opening.length + size + closing.length };
  const body = function* () {
    yield Buffer.from(opening);
    yield* repeated(size);
    yield Buffer.from(closing);
  };
  const { text } = await answered("POST", `${origin}/form`, 201, headers, body());
  requireSize("The form's file", size, JSON.parse(text).size);
}

async function sendPlain(origin: string, size: number): Promise<{ readonly id: string; readonly url: string }> {
  const headers = { "content-type": "application/octet-stream", "content-length": size };
  const { text } = await answered("POST", `${origin}/uploads`, 201, headers, repeated(size));
  const file = JSON.parse(text);
  requireSize("The plain file", size, file.size);
  return file;
}

async function sendPatch(origin: string, size: number): Promise<void> {
  const tus = { "tus-resumable": "1.0.0" };
  const { headers: begun } = await answered("POST", `${origin}/uploads`, 201, { ...tus, "upload-length": size, "content-length": 0 });
  const address = origin + begun.location;
  const headers = { ...tus, "content-type": "application/offset+octet-stream", "upload-offset": 0, "content-length": size };
  const { headers: sent } = await answered("PATCH", address, 204, headers, repeated(size));
  requireSize("The resumable file", size, Number(sent["upload-offset"]));
  await answered("DELETE", address, 204, tus);
}

async function download(address: string, size: number): Promise<void> {
  const response = await begin("GET", address, 200);
  let received = 0;
  for await (const chunk of response) received += (chunk as Buffer).length;
  requireSize("The download", size, received);
}

function requireSize(what: string, expected: number, found: number): void {
  if (found !== expected) throw new Error(`${what} has ${found} bytes, not ${expected}.`);
}

function* repeated(size: number): Generator<Uint8Array, void, undefined> {
  for (let left = size; left > 0; left -= piece.length) yield left < piece.length ? piece.subarray(0, left) : piece;
}

async function answered(...exchange: Parameters<typeof begin>) {
  const response = await begin(...exchange);
  return { headers: response.headers, text: Buffer.concat(await response.toArray()).toString() };
}

/** @throws {Error} where the answer has another status */
async function begin(
  method: string,
  address: string,
  status: number,
  headers: Readonly<Record<string, string | number>> = {},
  body: Iterable<Uint8Array> = [],
): Promise<IncomingMessage> {
  const sent = request(address, { method, headers });
  const answer = once(sent, "response") as Promise<[IncomingMessage]>;
  await pipeline(Readable.from(body, { objectMode: false }), sent);
  const [response] = await answer;
  if (response.statusCode !== status) throw new Error(`${method} ${address} was answered ${response.statusCode}, not ${status}.`);
  return response;
}

function mebibytes(size: number): number {
  return Math.round(size / mebibyte);
}
