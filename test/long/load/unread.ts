import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * The memory of a server whose clients read nothing of large answers: `npx tsx test/long/load/unread.ts`, with `--stall 60000` as its limit `answerStallMs`, and `--connections 40`
 * that send one batch of ten lists each. Exits with 1 where a connection is still open 5 s after the limit.
 */
const { values } = parseArgs({ options: { stall: { type: "string", default: "60000" }, connections: { type: "string", default: "40" } } });
const [stallMs, connections] = [Number(values.stall), Number(values.connections)];

const program = fileURLToPath(new URL("./unreadServer.ts", import.meta.url));
const server = spawn(process.execPath, ["--expose-gc", "--import", "tsx", program], {
  env: { ...process.env, STALL_MS: String(stallMs) },
  stdio: ["pipe", "pipe", "inherit"],
});
const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
const nextNumber = async () => Number((await lines.next()).value);
try {
  const port = await nextNumber();
  await openConnections("collect");
  const [idle, begunMs] = [megabytes(), performance.now()];
  const clients = await Promise.all(Array.from({ length: connections }, () => sendBatch(port)));
  const answeredMs = performance.now();
  await openConnections("collect");
  console.log(`${connections} batches of ten lists answered in ${seconds(begunMs)} s; idle ${idle} MB, held ${megabytes()} MB`);
  let [open, highest] = [connections, 0];
  while (open > 0 && performance.now() - answeredMs < 2 * stallMs + 10_000) {
    await sleep(250);
    highest = Math.max(highest, megabytes());
    open = await openConnections();
  }
  const endedMs = performance.now() - answeredMs;
  // What an idle process has not collected yet is not held.
  await openConnections("collect");
  await sleep(1_000);
  console.log(
    `${open} connections left ${seconds(answeredMs)} s after the answers; highest ${highest} MB, after garbage was collected ${megabytes()} MB`,
  );
  console.log(`the last ended after ${Math.round(endedMs / 100) / 10} s, with a limit of ${stallMs / 1_000} s`);
  process.exitCode = open === 0 && endedMs <= stallMs + 5_000 ? 0 : 1;
  for (const client of clients) client.destroy();
} finally {
  server.kill("SIGKILL");
}

function seconds(sinceMs: number): number {
  return Math.round((performance.now() - sinceMs) / 100) / 10;
}

/** Resident memory of the server. */
function megabytes(): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1] ?? "0";
  return Math.round((Number(kilobytes) * 1_024) / 1_000_000);
}

function openConnections(order = "count"): Promise<number> {
  server.stdin.write(`${order}\n`);
  return nextNumber();
}

/** Resolves when the answer begins, of which nothing is read. */
async function sendBatch(port: number): Promise<Socket> {
  const body = JSON.stringify({ operations: Array.from({ length: 10 }, () => ({ method: "GET", url: "/pages?perPage=95" })) });
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  socket.write(`POST /batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  await once(socket, "readable");
  const begin = String(socket.read(12));
  if (begin !== "HTTP/1.1 200") throw new Error(`A batch was answered: ${begin}${String(socket.read())}`);
  return socket;
}
