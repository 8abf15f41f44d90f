import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { buildPrograms } from "../tools/build.js";
import { describeRun } from "../tools/report.js";
import { percentile } from "../tools/statistics.js";
import { wholeNumber } from "../tools/wholeNumber.js";
import type { StreamQuestion, StreamRole, StreamTold } from "./process.js";

/**
 * Streams of live rows on PostgreSQL (`POSTGRES_URL`): one process holds them, another writes, and a third is all of the clients. From the begin of a write to its event at a client, the memory of a
 * stream in the process that holds it, and the longest time for which its event loop was held. Run with `npx tsx bench/live/streams.ts`.
 */
const { values } = parseArgs({
  options: { streams: { type: "string" }, owners: { type: "string" }, writes: { type: "string" }, every: { type: "string" } },
});
const streams = wholeNumber("streams", values.streams ?? "1000");
const owners = wholeNumber("owners", values.owners ?? "100");
const writes = wholeNumber("writes", values.writes ?? "1000");
const everyMs = wholeNumber("every", values.every ?? "20");

const connectionString = process.env["POSTGRES_URL"];
if (connectionString === undefined) throw new Error("Set POSTGRES_URL to a server where schemas may be created.");
const program = (await buildPrograms("live", { process: "bench/live/process.ts" })).process;
const schema = `bench_live_${randomBytes(6).toString("hex")}`;

/** A process of the measurement. */
class Child {
  readonly #child;
  readonly #waiting: ((told: StreamTold) => void)[] = [];

  constructor(role: StreamRole) {
    this.#child = fork(program, [JSON.stringify(role)], { execArgv: ["--expose-gc"] });
    this.#child.on("message", (told: StreamTold) => this.#waiting.shift()?.(told));
  }

  next(): Promise<StreamTold> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  ask(question: StreamQuestion): Promise<StreamTold> {
    const told = this.next();
    this.#child.send(question);
    return told;
  }

  end(): void {
    this.#child.kill();
  }
}

const figure = (told: StreamTold) => ("memory" in told ? told : { memory: Number.NaN, longestMs: Number.NaN });

const server = new Child({ kind: "server", connectionString, schema });
const told = await server.next();
const port = "ready" in told ? told.ready : 0;
const writer = new Child({ kind: "writer", connectionString, schema, owners });
await writer.next();
await writer.ask({ write: 50, everyMs });
const before = figure(await server.ask({ measure: true })).memory;
const clients = new Child({ kind: "clients", port, count: streams, owners });
await clients.next();
await sleep(1_000);
const { memory } = figure(await server.ask({ measure: true }));
await clients.ask({ measure: true });
await writer.ask({ write: writes, everyMs });
await sleep(1_000);
const { longestMs } = figure(await server.ask({ measure: true }));
const heard = await clients.ask({ measure: true });
const delays = "delays" in heard ? heard.delays : [];
const expected = (writes * streams) / owners;
const { date, node, machine } = describeRun(new Date());
console.log(`${date}, Node ${node}, ${machine}.`);
console.log(`${streams} streams of ${owners} principals, a write every ${everyMs} ms: ${delays.length} of ${expected} events`);
console.log(`from the write to the event: p50 ${percentile(delays, 0.5).toFixed(0)} ms, p95 ${percentile(delays, 0.95).toFixed(0)} ms (bar 300)`);
console.log(
  `a stream: ${((memory - before) / streams / 1_024).toFixed(1)} KiB (bar 25); the event loop was held for ${longestMs.toFixed(0)} ms at most (bar 50)`,
);
for (const child of [clients, writer, server]) child.end();
