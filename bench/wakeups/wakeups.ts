import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { buildPrograms } from "../tools/build.js";
import { describeRun } from "../tools/report.js";
import { median, percentile } from "../tools/statistics.js";
import { wholeNumber } from "../tools/wholeNumber.js";
import type { ProcessRole, Question, Told } from "./process.js";

const { values } = parseArgs({
  options: { pieces: { type: "string" }, rounds: { type: "string" }, milliseconds: { type: "string" }, idle: { type: "string" } },
});
const pieces = wholeNumber("pieces", values.pieces ?? "40");
const rounds = wholeNumber("rounds", values.rounds ?? "5");
const ms = wholeNumber("milliseconds", values.milliseconds ?? "3000");
const idleMs = 1_000 * wholeNumber("idle", values.idle ?? "60");

const server = process.env["POSTGRES_URL"];
if (server === undefined) throw new Error("Set POSTGRES_URL to a server where databases may be created.");
const program = (await buildPrograms("wakeups", { process: "bench/wakeups/process.ts" })).process;

/** A process of the service. */
class Process {
  readonly #child;
  readonly #waiting: ((told: Told) => void)[] = [];
  readonly began = new Map<string, number>();

  constructor(role: ProcessRole) {
    this.#child = fork(program, [JSON.stringify(role)]);
    this.#child.on("message", (told: Told) => {
      if ("began" in told) this.began.set(told.began, told.atMs);
      else this.#waiting.shift()?.(told);
    });
  }

  static async start(role: ProcessRole): Promise<Process> {
    const started = new Process(role);
    await started.#next();
    return started;
  }

  async ask(question: Question): Promise<number> {
    this.#child.send(question);
    const told = await this.#next();
    return "figure" in told ? told.figure : 0;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.disconnect();
    await ended;
  }

  #next(): Promise<Told> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }
}

/** Runs with a database of its own. */
async function inDatabase(run: (url: string, transactions: () => Promise<number>) => Promise<void>): Promise<void> {
  const name = `restwright_wakeups_${randomUUID().replaceAll("-", "")}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const url = new URL(server ?? "");
  url.pathname = `/${name}`;
  const transactions = async () => {
    const { rows } = await admin.query("select xact_commit + xact_rollback as count from pg_stat_database where datname = $1", [name]);
    return Number(rows[0].count);
  };
  try {
    await run(url.href, transactions);
  } finally {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
}

async function measureLatency(url: string): Promise<void> {
  const working = await Process.start({ url, works: true, wakes: true });
  const asking = await Process.start({ url, works: false, wakes: true });
  await sleep(1_000);
  for (const kind of ["job", "delivery", "subscriber"] as const) {
    const latencies: number[] = [];
    for (let id = 0; id < pieces; id++) {
      const startedMs = await asking.ask({ kind, id });
      let atMs = working.began.get(`${kind} ${id}`);
      for (; atMs === undefined; atMs = working.began.get(`${kind} ${id}`)) await sleep(2);
      latencies.push(atMs - startedMs);
      await sleep(50 + Math.random() * 100);
    }
    const [p50, p95] = [median(latencies), percentile(latencies, 0.95)];
    console.log(`${kind}: from the call to its begin in another process, p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms (bar 150)`);
  }
  await Promise.all([asking.stop(), working.stop()]);
}

/** Somebody listens, and does nothing of the work: it would take the time of the writers. */
async function measureWrites(url: string): Promise<void> {
  const listener = new pg.Client({ connectionString: url });
  await listener.connect();
  await listener.query("listen restwright");
  const sides = [await Process.start({ url, works: false, wakes: true }), await Process.start({ url, works: false, wakes: false })] as const;
  const ratios: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const [first, second] = round % 2 === 0 ? [0, 1] : [1, 0];
    const tps: number[] = [];
    for (const side of [first, second] as const) tps[side] = (await sides[side as 0 | 1].ask({ kind: "write", writers: 8, ms })) ?? 0;
    const [withWakeups = 0, without = 1] = tps;
    // The first round warms up.
    if (round >= 0) ratios.push(withWakeups / without);
    if (round >= 0) console.log(`8 writers: ${withWakeups.toFixed(0)} writes a second with wake-ups, ${without.toFixed(0)} without`);
  }
  console.log(`8 writers with events: ${median(ratios).toFixed(3)} of the writes without wake-ups (bar 0.97)`);
  await Promise.all(sides.map((side) => side.stop()));
  await listener.end();
}

async function measureIdle(url: string, transactions: () => Promise<number>): Promise<void> {
  const idle = await Process.start({ url, works: true, wakes: true });
  await sleep(25_000);
  const [cpuMs, count] = [await idle.ask({ kind: "cpu" }), await transactions()];
  await sleep(idleMs);
  const perMinute = 60_000 / idleMs;
  const [usedMs, made] = [(await idle.ask({ kind: "cpu" })) - cpuMs, (await transactions()) - count];
  console.log(
    `idle: ${(made * perMinute).toFixed(0)} transactions (bar 40) and ${(usedMs * perMinute).toFixed(0)} ms of processor time (bar 100) a minute`,
  );
  await idle.stop();
}

const { date, node, machine } = describeRun(new Date());
console.log(`${date}, Node ${node}, ${machine}.`);
await inDatabase(measureLatency);
await inDatabase(measureWrites);
if (idleMs > 0) await inDatabase(measureIdle);
