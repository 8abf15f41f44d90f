import { setTimeout as sleep } from "node:timers/promises";
import { judgeEvents, type Thing } from "./webhookKillJudge.js";
import type { Receiver } from "./webhookKillReceiver.js";

/** How long may nothing new come while something is missing. */
const quietMs = 30_000;
const pauseMs = 100;

/** What has come in the end. */
export interface WebhookOutcome {
  readonly rows: number;
  /** Events that have come, by webhook and id. */
  readonly events: number;
  /** Requests that brought an event which had come before. */
  readonly again: number;
  /** One line for each thing that should not be. */
  readonly faults: readonly string[];
}

/** All rows that webhooks are told of; `ask` is a GET that must succeed. */
// biome-ignore lint/suspicious/noExplicitAny: each caller knows what it asks for
export type ReadThings = (ask: (path: string) => Promise<any>) => Promise<readonly Thing[]>;

/** Waits until everything has come, or for as long as is decent. */
export async function outcome(
  origin: string,
  acknowledged: ReadonlyMap<string, number>,
  receiver: Receiver,
  readThings: ReadThings = readNamed,
): Promise<WebhookOutcome> {
  const things = await readThings((path) => get(origin, path));
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

const readNamed: ReadThings = async (ask) => {
  const things: Thing[] = [];
  for (let next: string | undefined = "/things?perPage=10000&count=none"; next !== undefined; ) {
    const list = await ask(next);
    things.push(...(list.data as Thing[]));
    next = list.links.next;
  }
  return things;
};

// biome-ignore lint/suspicious/noExplicitAny: each caller knows what it asks for
async function get(origin: string, path: string): Promise<any> {
  const response = await fetch(origin + path);
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  return response.json();
}

export async function post(origin: string, path: string, body: object): Promise<void> {
  const response = await fetch(origin + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
}
