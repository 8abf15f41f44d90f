import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../../fuzz/random.js";
import { killAndRestart, startWorker, type Worker } from "../killedWorkers.js";
import { type Ledger, newLedger, taken, write } from "./webhookKillClient.js";
import { judgeEvents, type Thing } from "./webhookKillJudge.js";
import type { ReceivedEvent } from "./webhookKillReceiver.js";

const program = "subscriberKillWorker.ts";
/** How long nothing new may come while something is missing. */
const quietMs = 30_000;
const pauseMs = 100;

export interface SubscriberKillOptions {
  /** SIGKILLs, spread over the workers. */
  readonly kills: number;
  /** Processes on one storage; of two, the second lacks a handler every other time that it starts. */
  readonly workers: number;
  readonly clients: number;
  /** Where the workers keep their rows. */
  readonly environment: Readonly<Record<string, string>>;
  /** An empty folder. */
  readonly folder: string;
  /** How long until the next kill. */
  readonly aliveMs: (kill: number) => number;
  readonly random: Random;
}

/** What became of a run. */
export interface SubscriberKillReport extends Pick<Ledger, "requests" | "unanswered" | "rolledBack"> {
  readonly rows: number;
  /** Events that were handled, by subscriber and id. */
  readonly events: number;
  /** How often an event was handled that had been handled before. */
  readonly again: number;
  /** One line for each thing that should not be. */
  readonly faults: readonly string[];
}

/** Clients write while the workers are killed at random; in the end each committed write must have been handled by each subscriber, and no other. */
export async function subscribersWhileKilled(options: SubscriberKillOptions): Promise<SubscriberKillReport> {
  const handled = `${options.folder}/handled.ndjson`;
  const environment = { ...options.environment, HANDLED_PATH: handled };
  const workers: Worker[] = [];
  try {
    for (let count = 0; count < options.workers; count++) workers.push(await startWorker(program, environment));
    await post(workers[0]?.origin ?? "", "/things", { name: taken });
    const ledger = newLedger();
    ledger.acknowledged.set(taken, 0);
    await writeWhileKilled({ ...options, environment }, workers, ledger);
    return { ...ledger, ...(await outcome(workers[0]?.origin ?? "", ledger, handled)) };
  } finally {
    for (const { process } of workers) process.kill("SIGKILL");
  }
}

async function writeWhileKilled(options: SubscriberKillOptions, workers: readonly Worker[], ledger: Ledger): Promise<void> {
  const { kills, clients, environment, aliveMs, random } = options;
  const state = { done: false };
  const writing = Promise.all(
    Array.from({ length: clients }, (_, client) => {
      let turn = client;
      return write(() => workers[turn++ % workers.length]?.origin ?? "", ledger, random, state);
    }),
  );
  for (let kill = 0; kill < kills; kill++) {
    await Promise.race([sleep(aliveMs(kill)), writing]);
    const index = kill % workers.length;
    const lacksHandler = index > 0 && kill % 4 === 1;
    await killAndRestart(program, workers[index], lacksHandler ? { ...environment, ONLY: "created" } : environment);
  }
  state.done = true;
  await writing;
}

/** Waits until everything is handled, as long as something happens. */
async function outcome(
  origin: string,
  { acknowledged }: Ledger,
  path: string,
): Promise<Pick<SubscriberKillReport, "rows" | "events" | "again" | "faults">> {
  const things = await readThings(origin);
  let lastMs = performance.now();
  let [came, faults]: [number, readonly string[]] = [0, []];
  for (;;) {
    const handled = readHandled(path);
    const events = [...handled.values()].flatMap((byId) => [...byId.values()]);
    faults = [...judgeEvents(things, acknowledged, handled), ...(await openTasks(origin))];
    const total = events.reduce((sum, { times }) => sum + times, 0);
    if (total > came) lastMs = performance.now();
    came = total;
    if (faults.length === 0 || performance.now() - lastMs > quietMs) {
      return { rows: things.length, events: events.length, again: total - events.length, faults };
    }
    await sleep(pauseMs);
  }
}

/** Events that were handled, by subscriber and id. A line is written at once, so that a kill cannot cut it. */
function readHandled(path: string): ReadonlyMap<string, ReadonlyMap<string, ReceivedEvent>> {
  const handled = new Map(["/all", "/created"].map((name) => [name, new Map<string, ReceivedEvent>()]));
  for (const line of existsSync(path) ? readFileSync(path, "utf8").split("\n") : []) {
    if (line === "") continue;
    const { path: name, id, type, data } = JSON.parse(line);
    const events = handled.get(name);
    const before = events?.get(id);
    if (before === undefined) events?.set(id, { id, type, data, body: line, times: 1 });
    else if (before.body === line) before.times += 1;
    else throw new Error(`${id} was handled with two contents: ${before.body} and ${line}`);
  }
  return handled;
}

/** Tasks that are still to be done, or were given up. */
async function openTasks(origin: string): Promise<readonly string[]> {
  const counts: Readonly<Record<string, Readonly<Record<string, number>>>> = await get(origin, "/tasks");
  return Object.entries(counts).flatMap(([name, states]) =>
    Object.entries(states).flatMap(([state, count]) => (state === "succeeded" || count === 0 ? [] : [`${count} tasks of "${name}" are ${state}`])),
  );
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
