import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { deadlineIn } from "../runScript.js";
import { killAndRestart, startWorker, type Worker } from "./killedWorkers.js";

const program = "keyedWorker.ts";

export interface KeyedOptions {
  /** SIGKILLs, spread over the workers. */
  readonly kills: number;
  /** Processes on one storage. */
  readonly workers: number;
  /** Clients that each send one request at a time, again and again until it is answered. */
  readonly clients: number;
  /** Where the workers keep rows and records. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long a worker lives. */
  readonly aliveMs: (kill: number) => number;
  /** Every second client sends batches of so many rows, of which each has one name. Default: each request creates one row. */
  readonly batchItems?: number | undefined;
}

/** What became of a run. */
export interface KeyedReport {
  readonly keys: number;
  /** Rows that the keys must have made. */
  readonly expectedRows: number;
  readonly rows: number;
  /** Requests that had to be sent more than once. */
  readonly retried: number;
  /** Keys without a row, with several, or with answers that differ; one line each. */
  readonly faults: readonly string[];
}

/** Clients send POSTs under keys of their own while the workers are killed at random and started again; in the end every key must have made its rows once. */
export async function keyedWhileKilled(options: KeyedOptions): Promise<KeyedReport> {
  const { kills, workers: count, clients, environment, aliveMs } = options;
  const workers = await Promise.all(Array.from({ length: count }, () => startWorker(program, environment)));
  const sent = new Map<string, Sent>();
  const state = { done: false, retried: 0 };
  const sending = Array.from({ length: clients }, (_, client) =>
    sendUntilDone(client, client % 2 === 1 ? options.batchItems : undefined, workers, sent, state),
  );
  for (let kill = 0; kill < kills; kill++) {
    await sleep(aliveMs(kill));
    await killAndRestart(program, workers[kill % count], environment);
  }
  state.done = true;
  await Promise.all(sending);
  const [first] = workers;
  const report = first === undefined ? { rows: 0, faults: [] } : await inspect(first.origin, sent);
  for (const { process } of workers) process.kill("SIGKILL");
  const expectedRows = [...sent.values()].reduce((sum, { names }) => sum + names.length, 0);
  return { keys: sent.size, expectedRows, retried: state.retried, ...report };
}

/** What was sent under a key. */
interface Sent {
  /** The names of its rows. */
  readonly names: readonly string[];
  readonly isBatch: boolean;
  /** The answers, which must be one. */
  readonly answers: Set<string>;
}

async function sendUntilDone(
  client: number,
  batchItems: number | undefined,
  workers: readonly Worker[],
  sent: Map<string, Sent>,
  state: { done: boolean; retried: number },
): Promise<void> {
  for (let number = 0; !state.done; number++) {
    const key = randomUUID();
    const answers = new Set<string>();
    const names = batchItems === undefined ? [key] : Array.from({ length: batchItems }, (_, item) => `${key}/${item}`);
    const request: Sent = { names, isBatch: batchItems !== undefined, answers };
    sent.set(key, request);
    // The answer is asked for once more, as a client does that has lost it.
    for (const wanted of [1, 2]) {
      const deadline = deadlineIn(300);
      for (let tries = 0; answers.size < 1 || wanted === 2; tries++) {
        deadline.check(`the key ${key} has no answer`);
        const text = await send(workers[(client + number + tries) % workers.length]?.origin ?? "", key, request);
        if (text !== undefined) {
          answers.add(text);
          break;
        }
        state.retried += 1;
        await sleep(20);
      }
    }
  }
}

/** The text of the answer; `undefined` where the request has to be sent again. */
async function send(origin: string, key: string, { names, isBatch }: Sent): Promise<string | undefined> {
  const rows = names.map((name) => ({ name }));
  try {
    const response = await fetch(isBatch ? `${origin}/things/batch` : `${origin}/things`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(isBatch ? { items: rows } : rows[0]),
    });
    const text = await response.text();
    if (response.status === (isBatch ? 200 : 201)) return text;
    if (response.status === 409 || response.status >= 500) return undefined;
    throw new TypeError(`POST was answered ${response.status}: ${text}`);
  } catch (error) {
    // What fetch throws where nobody listens, or the connection breaks off.
    if (error instanceof TypeError && !error.message.startsWith("POST")) return undefined;
    throw error;
  }
}

async function inspect(origin: string, sent: ReadonlyMap<string, Sent>): Promise<Pick<KeyedReport, "rows" | "faults">> {
  const rows = new Map<string, number[]>();
  let total = 0;
  for (let next: string | undefined = "/things?perPage=100&count=none"; next !== undefined; ) {
    const list = (await (await fetch(origin + next)).json()) as { data: { id: number; name: string }[]; links: { next?: string } };
    for (const { id, name } of list.data) rows.set(name, [...(rows.get(name) ?? []), id]);
    total += list.data.length;
    next = list.links.next;
  }
  const faults = [...sent].flatMap(([key, { names, answers }]) => {
    const made = names.map((name) => rows.get(name) ?? []);
    const isAnswered = [...answers].every((text) => made.every(([id]) => text.includes(`"id":${id},`)));
    if (answers.size === 1 && isAnswered && made.every(({ length }) => length === 1)) return [];
    return [
      `${key}: ${made.map(({ length }) => length).join(", ")} rows, ${answers.size} different answers: ${[...answers].join(" ").slice(0, 300)}`,
    ];
  });
  return { rows: total, faults };
}
