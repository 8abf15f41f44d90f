import { type ChildProcess, spawn } from "node:child_process";
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
import { type LongestTurn, longestOf } from "../../e2e/loopWatch.js";
import { requireFreeDisk } from "../../e2e/requireFreeDisk.js";

/**
 * The longest turn of the event loop while a large file comes in pieces, in a form and as a plain body, and while rows are imported and exported: `npx tsx test/long/load/eventLoop.ts`, on Linux. Beside it stand
 * `@tus/server`, and a server that writes bodies to files and does nothing else. Exits with 1 where a turn of restwright takes more
 * processor time than allowed, or more time with the sleep in it although those of the bare server do not.
 */
const { values } = parseArgs({
  options: {
    mebibytes: { type: "string", default: "512" },
    rows: { type: "string", default: "100000" },
    rounds: { type: "string", default: "3" },
    /** In milliseconds. */
    allowed: { type: "string", default: "50" },
    folder: { type: "string", default: tmpdir() },
  },
});
const mebibyte = 1_048_576;
const pieceBytes = 8 * mebibyte;
const fileBytes = Number(values.mebibytes) * mebibyte;
const rows = Number(values.rows);
const allowedMs = Number(values.allowed);
const content = randomBytes(mebibyte);

type Kind = "piece" | "file" | "peer" | "bare";
const names: Readonly<Record<Kind, string>> = {
  piece: "restwright",
  file: 'restwright, durability "file"',
  peer: "@tus/server",
  bare: "bare server",
};

interface Server {
  readonly kind: Kind;
  readonly origin: string;
  readonly child: ChildProcess;
}

interface Way {
  readonly name: string;
  readonly kinds: readonly Kind[];
  run(origin: string): Promise<void>;
}

const ways: readonly Way[] = [
  { name: "tus, pieces of 8 MiB", kinds: ["piece", "file", "peer", "bare"], run: sendPieces },
  { name: "a form", kinds: ["piece", "bare"], run: sendForm },
  { name: "a plain body", kinds: ["piece", "bare"], run: sendPlain },
  { name: "an import", kinds: ["piece"], run: importRows },
  { name: "an export", kinds: ["piece"], run: exportRows },
];

await requireFreeDisk(values.folder, 16 * fileBytes);
const folder = mkdtempSync(join(values.folder, "restwright-loop-"));
const servers: Server[] = [];
try {
  for (const kind of ["piece", "file", "peer", "bare"] as const) servers.push(await start(kind));
  for (const way of ways) await measure(way);
} finally {
  for (const { child } of servers) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}

async function start(kind: Kind): Promise<Server> {
  const program = fileURLToPath(new URL("../../e2e/eventLoopWorker.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", program], {
    env: { ...process.env, KIND: kind, FOLDER: join(folder, kind) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = (await once(createInterface(child.stdout), "line")) as [string];
  return { kind, origin: `http://127.0.0.1:${port}`, child };
}

/** The servers take turns. The first round, in which programs are still being compiled, does not count. */
async function measure({ name, kinds, run }: Way): Promise<void> {
  const longest = new Map<Kind, LongestTurn>();
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const { kind, origin } of servers.filter((server) => kinds.includes(server.kind))) {
      await longestTurn(origin);
      await run(origin);
      const turn = await longestTurn(origin);
      if (round > 0) longest.set(kind, longestOf(longest.get(kind) ?? turn, turn));
    }
  }
  for (const [kind, turn] of longest) console.log(`${name}, ${names[kind]}: ${formatTurn(turn)}`);
  const own = [longest.get("piece"), longest.get("file")].filter((turn) => turn !== undefined);
  if (own.some((turn) => isTooLong(turn, longest.get("bare")))) process.exitCode = 1;
}

/** A machine on which the bare server is held as well tells nothing of the time that is no processor time. */
function isTooLong({ cpuMs, ownMs }: LongestTurn, bare: LongestTurn | undefined): boolean {
  return cpuMs > allowedMs || (bare !== undefined && bare.ownMs <= allowedMs && ownMs > allowedMs);
}

function formatTurn({ cpuMs, ownMs, wallMs }: LongestTurn): string {
  return `${cpuMs.toFixed(0)} ms of processor time, ${ownMs.toFixed(0)} ms with sleep, ${wallMs.toFixed(0)} ms by the clock`;
}

async function longestTurn(origin: string): Promise<LongestTurn> {
  return JSON.parse((await answered("GET", `${origin}/turn`, 200)).text);
}

async function sendPieces(origin: string): Promise<void> {
  const tus = { "tus-resumable": "1.0.0" };
  const { headers } = await answered("POST", `${origin}/uploads`, 201, { ...tus, "upload-length": fileBytes, "content-length": 0 });
  const address = new URL(headers.location ?? "", origin).href;
  for (let at = 0; at < fileBytes; at += pieceBytes) {
    const size = Math.min(pieceBytes, fileBytes - at);
    const head = { ...tus, "content-type": "application/offset+octet-stream", "upload-offset": at, "content-length": size };
    await answered("PATCH", address, 204, head, repeated(size));
  }
}

async function sendForm(origin: string): Promise<void> {
  const boundary = "----loop7a9e2046";
  const opening = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="file.bin"\r\n\r\n`;
  const closing = `\r\n--${boundary}--\r\n`;
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}`, "content-length": opening.length + fileBytes + closing.length };
  const body = function* () {
    yield Buffer.from(opening);
    yield* repeated(fileBytes);
    yield Buffer.from(closing);
  };
  await answered("POST", `${origin}/forms`, 201, headers, body());
}

async function sendPlain(origin: string): Promise<void> {
  await answered("POST", `${origin}/uploads`, 201, { "content-type": "application/octet-stream", "content-length": fileBytes }, repeated(fileBytes));
}

async function importRows(origin: string): Promise<void> {
  const lines = function* () {
    yield Buffer.from("name,item\n");
    for (let from = 0; from < rows; from += 500) {
      yield Buffer.from(Array.from({ length: Math.min(500, rows - from) }, (_, index) => `thing,${from + index}\n`).join(""));
    }
  };
  const { headers } = await answered("POST", `${origin}/imports?collection=things`, 202, { "content-type": "text/csv" }, lines());
  for (;;) {
    const { status, result } = JSON.parse((await answered("GET", `${origin}${headers.location}`, 200)).text);
    if (status === "completed" && result.created === rows) return;
    if (status === "completed" || status === "failed") throw new Error(`The import ended as ${status} with ${JSON.stringify(result)}.`);
    await sleep(100);
  }
}

async function exportRows(origin: string): Promise<void> {
  const { text } = await answered("GET", `${origin}/things/export?format=csv`, 200);
  if (text.length < rows) throw new Error(`The export has ${text.length} characters only.`);
}

function* repeated(size: number): Generator<Uint8Array, void, undefined> {
  for (let left = size; left > 0; left -= content.length) yield left < content.length ? content.subarray(0, left) : content;
}

/** @throws {Error} if the response has another status */
async function answered(
  method: string,
  address: string,
  status: number,
  headers: Readonly<Record<string, string | number>> = {},
  body: Iterable<Uint8Array> = [],
): Promise<{ readonly headers: IncomingMessage["headers"]; readonly text: string }> {
  const sent = request(address, { method, headers });
  const answer = once(sent, "response") as Promise<[IncomingMessage]>;
  await pipeline(Readable.from(body, { objectMode: false }), sent);
  const [response] = await answer;
  const text = Buffer.concat(await response.toArray()).toString();
  if (response.statusCode !== status)
    throw new Error(`${method} ${address} was answered ${response.statusCode}, not ${status}: ${text.slice(0, 300)}`);
  return { headers: response.headers, text };
}
