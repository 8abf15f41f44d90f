import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
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
}

/** What became of a run. */
export interface KeyedReport {
  readonly keys: number;
  readonly rows: number;
  /** Requests that had to be sent more than once. */
  readonly retried: number;
  /** Keys without a row, with several, or with answers that differ; one line each. */
  readonly faults: readonly string[];
}

/** Clients send POSTs under keys of their own while the workers are killed at random and started again; in the end every key must have made one row. */
export async function keyedWhileKilled({ kills, workers: count, clients, environment, aliveMs }: KeyedOptions): Promise<KeyedReport> {
  const workers = await Promise.all(Array.from({ length: count }, () => startWorker(program, environment)));
  const answers = new Map<string, Set<string>>();
  const state = { done: false, retried: 0 };
  const sending = Array.from({ length: clients }, (_, client) => client).map((client) => sendUntilDone(client, workers, answers, state));
  for (let kill = 0; kill < kills; kill++) {
    await sleep(aliveMs(kill));
    await killAndRestart(program, workers[kill % count], environment);
  }
  state.done = true;
  await Promise.all(sending);
  const [first] = workers;
  const report = first === undefined ? { rows: 0, faults: [] } : await inspect(first.origin, answers);
  for (const { process } of workers) process.kill("SIGKILL");
  return { keys: answers.size, retried: state.retried, ...report };
}

async function sendUntilDone(
  client: number,
  workers: readonly Worker[],
  answers: Map<string, Set<string>>,
  state: { done: boolean; retried: number },
): Promise<void> {
  for (let number = 0; !state.done; number++) {
    const key = randomUUID();
    const answered = new Set<string>();
    answers.set(key, answered);
    // The answer is asked for once more, as a client does that has lost it.
    for (const wanted of [1, 2]) {
      for (let tries = 0; answered.size < 1 || wanted === 2; tries++) {
        const text = await send(workers[(client + number + tries) % workers.length]?.origin ?? "", key);
        if (text !== undefined) {
          answered.add(text);
          break;
        }
        state.retried += 1;
        await sleep(20);
      }
    }
  }
}

/** The text of a 201; `undefined` where the request has to be sent again. */
async function send(origin: string, key: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${origin}/things`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ name: key }),
    });
    const text = await response.text();
    if (response.status === 201) return text;
    if (response.status === 409 || response.status >= 500) return undefined;
    throw new TypeError(`POST was answered ${response.status}: ${text}`);
  } catch (error) {
    // What fetch throws where nobody listens, or the connection breaks off.
    if (error instanceof TypeError && !error.message.startsWith("POST")) return undefined;
    throw error;
  }
}

async function inspect(origin: string, answers: ReadonlyMap<string, ReadonlySet<string>>): Promise<Pick<KeyedReport, "rows" | "faults">> {
  const rows = new Map<string, number>();
  let total = 0;
  for (let next: string | undefined = "/things?perPage=100&count=none"; next !== undefined; ) {
    const list = (await (await fetch(origin + next)).json()) as { data: { name: string }[]; links: { next?: string } };
    for (const { name } of list.data) rows.set(name, (rows.get(name) ?? 0) + 1);
    total += list.data.length;
    next = list.links.next;
  }
  const faults = [...answers].flatMap(([key, texts]) => {
    const made = rows.get(key) ?? 0;
    if (made === 1 && texts.size === 1) return [];
    return [`${key}: ${made} rows, ${texts.size} different answers`];
  });
  return { rows: total, faults };
}
