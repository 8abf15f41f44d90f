import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { defineResource, type Storage } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { z } from "zod";
import { endedJob, jobOf } from "../../capabilities/batch/batchJobStage.js";
import { notes, Receiver, register, secrets } from "../../capabilities/webhooks/emissionStage.js";
import { type LongestTurn, watchEventLoop } from "../../e2e/loopWatch.js";
import { clientOf } from "../../tools/client.js";
import { postgresUrl } from "../../tools/engines.js";
import { fullService } from "../../tools/fullService.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * What others notice of an import whose rows are heard by many webhooks: `npx tsx test/long/load/fanOut.ts --orders 1500 --webhooks 100`, on Linux. One client imports in one transaction, another one posts
 * one note after the other until each delivery has been made. With `--job` the import is a job, which commits a slice of rows at a time. Exits with 1 where deliveries are missing or doubled, and with `--check` where a figure is above its bar.
 */
const { values } = parseArgs({
  options: {
    orders: { type: "string", default: "1500" },
    webhooks: { type: "string", default: "100" },
    bytes: { type: "string", default: "20000" },
    store: { type: "string", default: "sqlite" },
    job: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
});
const [orders, webhooks, bytes] = [values.orders, values.webhooks, values.bytes].map(Number) as [number, number, number];
const bars = { postMs: 100, turnMs: 50, memory: 50_000_000 };

const text = "x".repeat(bytes);
const heard = defineResource("orders", {
  schema: z.object({ id: z.int(), total: z.number() }),
  generated: { id: "increment" },
  events: { "order.created": { on: "create", data: ({ id, total }) => ({ orderId: id, total, text }) } },
});

const folder = mkdtempSync(join(tmpdir(), "restwright-fan-out-"));
const schema = values.store === "postgres" ? ownSchema() : undefined;
const storage = await open();
// No receiver answers, so that next to nothing is sent meanwhile.
const transport = new Receiver();
transport.answer = () => new Promise(() => {});
const options = { transport, maxPerTenant: webhooks + 1, concurrency: 1, waiting: 1 };
const service = fullService({ resources: [heard, notes], storage, secrets, webhooks: options, blobs: memoryBlobs() });
try {
  process.exitCode = (await measure()) ? 0 : 1;
} finally {
  await service.close({ graceMs: 0 });
  await storage.close?.();
  await schema?.drop();
  rmSync(folder, { recursive: true, force: true });
}

async function open(): Promise<Storage> {
  if (values.store === "memory") return memoryStorage();
  if (schema === undefined) return sqliteStorage({ path: join(folder, "orders.db") });
  if (postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");
  return postgresStorage({ connectionString: await schema.create() });
}

async function measure(): Promise<boolean> {
  const send = clientOf(service);
  await service.start();
  const hooks = [];
  for (let number = 0; number < webhooks; number++) hooks.push(await register({ send }, { events: ["order.*"] }));
  // Programs are compiled, and the heap has its size.
  await importOrders(20);
  await untilMade(hooks, 20);
  globalThis.gc?.();
  const longestTurn = watchEventLoop();
  const idle = process.memoryUsage.rss();
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  longestTurn();
  let [isOver, isImported, behindMs, slowestMs, peak] = [false, false, 0, 0, idle];
  const posts = (async () => {
    while (!isOver) {
      const sent = performance.now();
      const wasImported = isImported;
      const { status } = await send({ method: "POST", target: "/notes", body: { text: "another" } });
      if (status !== 201) throw new Error(`A note was answered ${status}.`);
      const ms = performance.now() - sent;
      if (wasImported) slowestMs = Math.max(slowestMs, ms);
      else behindMs = Math.max(behindMs, ms);
      await sleep(5);
    }
  })();
  const memory = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  await importOrders(orders);
  isImported = true;
  const importMs = performance.now() - begun;
  const imported = process.cpuUsage(cpu);
  await untilMade(hooks, orders + 20);
  const madeMs = performance.now() - begun;
  isOver = true;
  await posts;
  clearInterval(memory);
  const turn = longestTurn();
  const { user, system } = process.cpuUsage(cpu);
  await requireMade(hooks, orders + 20);
  report({
    importMs,
    importCpuMs: (imported.user + imported.system) / 1_000,
    madeMs,
    cpuMs: (user + system) / 1_000,
    behindMs,
    slowestMs,
    turn,
    grown: peak - idle,
  });
  return (
    !values.check || ((!values.job || behindMs <= bars.postMs) && slowestMs <= bars.postMs && turn.ownMs <= bars.turnMs && peak - idle <= bars.memory)
  );

  async function importOrders(count: number): Promise<void> {
    const body = Array.from({ length: count }, (_, index) => `{"total":${index}}\n`).join("");
    const answer = await send({
      method: "POST",
      target: values.job ? "/imports?collection=orders" : "/orders/import",
      headers: { "content-type": "application/x-ndjson" },
      body: Buffer.from(body),
    });
    if (answer.status !== (values.job ? 202 : 200)) throw new Error(`The import was answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    if (!values.job) return;
    const { status, error } = await endedJob(send, jobOf(answer));
    if (status !== "completed") throw new Error(`The import ended as ${status}: ${error?.detail}`);
  }
}

async function deliveriesTo(hook: string): Promise<number> {
  const counts = await storage.deliveries?.counts(hook);
  return Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
}

/** Waits until the webhook that comes last has a delivery of each event. */
async function untilMade(hooks: readonly string[], events: number): Promise<void> {
  while ((await deliveriesTo(hooks.at(-1) ?? "")) < events) await sleep(100);
}

/** @throws {Error} if a webhook has not one delivery of each event */
async function requireMade(hooks: readonly string[], events: number): Promise<void> {
  for (const hook of hooks) {
    const made = await deliveriesTo(hook);
    if (made !== events) throw new Error(`A webhook has ${made} deliveries of ${events} events.`);
  }
}

interface Figures {
  readonly importMs: number;
  readonly importCpuMs: number;
  readonly madeMs: number;
  readonly cpuMs: number;
  /** Of a note that waited for the import itself. */
  readonly behindMs: number;
  /** Of a note after the import. */
  readonly slowestMs: number;
  readonly turn: LongestTurn;
  readonly grown: number;
}

function report({ importMs, importCpuMs, madeMs, cpuMs, behindMs, slowestMs, turn, grown }: Figures): void {
  const line = [
    `${values.store}: ${orders} orders, ${webhooks} webhooks, events of ${bytes} bytes`,
    `imported in ${(importMs / 1_000).toFixed(1)} s with ${(importCpuMs / 1_000).toFixed(1)} s of processor time, all deliveries made after ${(madeMs / 1_000).toFixed(1)} s with ${(cpuMs / 1_000).toFixed(1)} s of processor time`,
    `slowest answer during the import ${behindMs.toFixed(0)} ms, afterwards ${slowestMs.toFixed(0)} ms`,
    `longest turn ${turn.cpuMs.toFixed(0)} ms of processor time, ${turn.ownMs.toFixed(0)} ms with sleep`,
    `memory +${Math.round(grown / 1_000_000)} MB`,
  ];
  console.log(line.join("; "));
}
