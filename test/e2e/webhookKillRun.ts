import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../fuzz/random.js";
import { fixture } from "../webhooks/transportServer.js";
import { killAndRestart, startWorker, type Worker } from "./killedWorkers.js";
import { type Ledger, newLedger, taken, write } from "./webhookKillClient.js";
import { judgeEvents, type Thing } from "./webhookKillJudge.js";
import { type Receiver, startReceiver } from "./webhookKillReceiver.js";

const program = "webhookKillWorker.ts";
const paths = ["/all", "/created"];
/** How long may nothing new come while something is missing. */
const quietMs = 30_000;
const pauseMs = 100;

export interface WebhookKillOptions {
  /** SIGKILLs, spread over the workers. */
  readonly kills: number;
  /** Processes on one storage. */
  readonly workers: number;
  readonly clients: number;
  /** Where the workers keep their rows. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long until the next kill. */
  readonly aliveMs: (kill: number) => number;
  readonly random: Random;
}

/** What became of a run. */
export interface WebhookKillReport extends Pick<Ledger, "requests" | "unanswered" | "rolledBack"> {
  readonly rows: number;
  /** Events that have come, by webhook and id. */
  readonly events: number;
  /** Requests that brought an event which had come before. */
  readonly again: number;
  /** One line for each thing that should not be. */
  readonly faults: readonly string[];
}

/** Clients write while the workers are killed at random; in the end each committed write must have been told to each webhook, and no other. */
export async function webhooksWhileKilled(options: WebhookKillOptions): Promise<WebhookKillReport> {
  const { random } = options;
  const environment = { ...options.environment, CA_PEM: fixture("ca.pem") };
  const receiver = await startReceiver(paths, random);
  const workers: Worker[] = [];
  try {
    for (let count = 0; count < options.workers; count++) workers.push(await startWorker(program, environment));
    const origin = workers[0]?.origin ?? "";
    await post(origin, "/webhooks", { url: `${receiver.origin}/all`, events: ["*"] });
    await post(origin, "/webhooks", { url: `${receiver.origin}/created`, events: ["thing.created"] });
    await post(origin, "/things", { name: taken });
    const ledger = newLedger();
    ledger.acknowledged.set(taken, 0);
    await writeWhileKilled({ ...options, environment }, workers, ledger);
    return { ...ledger, ...(await outcome(workers[0]?.origin ?? "", ledger, receiver)) };
  } finally {
    for (const { process } of workers) process.kill("SIGKILL");
    receiver.close();
  }
}

async function writeWhileKilled(options: WebhookKillOptions, workers: readonly Worker[], ledger: Ledger): Promise<void> {
  const { kills, clients, environment, aliveMs, random } = options;
  const state = { done: false };
  const writing = Promise.all(
    Array.from({ length: clients }, (_, client) => {
      let turn = client;
      // Each request goes to the next worker, as a load balancer would have it.
      return write(() => workers[turn++ % workers.length]?.origin ?? "", ledger, random, state);
    }),
  );
  for (let kill = 0; kill < kills; kill++) {
    await Promise.race([sleep(aliveMs(kill)), writing]);
    await killAndRestart(program, workers[kill % workers.length], environment);
  }
  state.done = true;
  await writing;
}

/** Waits until everything has come, or for as long as is decent. */
async function outcome(
  origin: string,
  { acknowledged }: Ledger,
  receiver: Receiver,
): Promise<Pick<WebhookKillReport, "rows" | "events" | "again" | "faults">> {
  const things = await readThings(origin);
  let missing = judgeEvents(things, acknowledged, receiver.received);
  let open = await openDeliveries(origin);
  // What piled up while the workers were dead takes its time: as long as something comes, there is no hurry.
  for (let lastMs = performance.now(), came = 0; missing.length + open.length > 0 && performance.now() - lastMs < quietMs; ) {
    await sleep(pauseMs);
    const total = [...receiver.received.values()].reduce((sum, { size }) => sum + size, 0);
    if (total > came) lastMs = performance.now();
    came = total;
    missing = judgeEvents(things, acknowledged, receiver.received);
    if (missing.length === 0) open = await openDeliveries(origin);
  }
  const events = [...receiver.received.values()].flatMap((byId) => [...byId.values()]);
  const faults = [...receiver.faults, ...missing, ...open];
  return { rows: things.length, events: events.length, again: events.reduce((sum, { times }) => sum + times - 1, 0), faults };
}

/** Deliveries that are still to be sent, or were given up; a few of each webhook. */
async function openDeliveries(origin: string): Promise<readonly string[]> {
  const open: string[] = [];
  for (const { id } of (await get(origin, "/webhooks")).data as { id: string }[]) {
    const { data } = await get(origin, `/webhooks/${id}/deliveries?status=pending,sending,dead,canceled&perPage=20`);
    for (const { id: delivery, status, type } of data) open.push(`${delivery} (${type}) is ${status}`);
  }
  return open;
}

async function readThings(origin: string): Promise<readonly Thing[]> {
  const things: Thing[] = [];
  for (let next: string | undefined = "/things?perPage=10000&count=none"; next !== undefined; ) {
    const list = await get(origin, next);
    things.push(...(list.data as Thing[]));
    next = list.links.next;
  }
  return things;
}

// biome-ignore lint/suspicious/noExplicitAny: each caller knows what it asks for
async function get(origin: string, path: string): Promise<any> {
  const response = await fetch(origin + path);
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function post(origin: string, path: string, body: object): Promise<void> {
  const response = await fetch(origin + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
}
