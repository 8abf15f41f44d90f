import { setTimeout as sleep } from "node:timers/promises";
import type { SendBatch, SentBatch } from "./batchClients.js";
import { killAndRestart, startWorker, type Worker } from "./killedWorkers.js";

const program = "batchWorker.ts";

export interface BatchKillOptions {
  /** SIGKILLs, spread over the workers. */
  readonly kills: number;
  /** Processes on one storage. */
  readonly workers: number;
  /** Clients that each send one batch at a time: what the first one sends, the second one, and so on. */
  readonly clients: readonly SendBatch[];
  /** Where the workers keep their rows. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long until the next kill. */
  readonly aliveMs: (kill: number) => number;
}

/** What became of a run. */
export interface BatchKillReport {
  readonly batches: number;
  readonly answered: number;
  readonly rows: number;
  readonly retried: number;
  /** Jobs whose workers died too often. */
  readonly givenUp: number;
  /** One line for each thing that should not be. */
  readonly faults: readonly string[];
}

/** Clients send batches while the workers are killed at random and started again; in the end each batch must have made its rows, each once. */
export async function batchesWhileKilled(options: BatchKillOptions): Promise<BatchKillReport> {
  const { kills, clients, environment, aliveMs } = options;
  const workers = await Promise.all(Array.from({ length: options.workers }, () => startWorker(program, environment)));
  try {
    const sent: SentBatch[] = [];
    const state = { done: false };
    const sending = clients.map(async (send, client) => {
      while (!state.done) await send(originOf(workers, client), (batch) => void sent.push(batch));
    });
    const working = Promise.all(sending);
    await Promise.race([working, killInTurn(workers, environment, kills, aliveMs)]);
    state.done = true;
    await working;
    return { ...totals(sent), ...judge(sent, await readRows(workers[0]?.origin ?? "")) };
  } finally {
    for (const { process } of workers) process.kill("SIGKILL");
  }
}

/** Each call leads to the next worker, as a load balancer would. */
function originOf(workers: readonly Worker[], client: number): () => string {
  let turn = client;
  return () => workers[turn++ % workers.length]?.origin ?? "";
}

async function killInTurn(
  workers: readonly Worker[],
  environment: BatchKillOptions["environment"],
  kills: number,
  aliveMs: BatchKillOptions["aliveMs"],
): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    await sleep(aliveMs(kill));
    await killAndRestart(program, workers[kill % workers.length], environment);
  }
}

/** The items of all rows, by their batches. */
async function readRows(origin: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = new Map<string, number[]>();
  for (let next: string | undefined = "/things?perPage=10000&count=none&fields=id,batch,item"; next !== undefined; ) {
    const list = (await (await fetch(origin + next)).json()) as { data: { batch: string; item: number }[]; links: { next?: string } };
    for (const { batch, item } of list.data) {
      const items = rows.get(batch);
      if (items === undefined) rows.set(batch, [item]);
      else items.push(item);
    }
    next = list.links.next;
  }
  return rows;
}

function totals(sent: readonly SentBatch[]): Pick<BatchKillReport, "batches" | "answered" | "retried" | "givenUp"> {
  const retried = sent.reduce((sum, batch) => sum + batch.retried, 0);
  return {
    batches: sent.length,
    answered: sent.filter(({ answered }) => answered).length,
    retried,
    givenUp: sent.filter(({ givenUp }) => givenUp).length,
  };
}

function judge(sent: readonly SentBatch[], rows: ReadonlyMap<string, readonly number[]>): Pick<BatchKillReport, "rows" | "faults"> {
  const faults = sent.flatMap(({ batch, rows: expected, answered, faults: own }) => {
    const items = rows.get(batch) ?? [];
    const twice = items.length - new Set(items).size;
    const lines = twice === 0 ? [...own] : [...own, `has ${twice} rows twice`];
    if (items.length !== expected && (answered || items.length > 0)) lines.push(`has ${items.length} rows of ${expected}`);
    return lines.map((line) => `${batch} ${line}`);
  });
  const total = [...rows.values()].reduce((sum, items) => sum + items.length, 0);
  return { rows: total, faults };
}
