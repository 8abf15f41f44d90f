import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { integer, pick, type Random } from "../../fuzz/random.js";
import { startWorker, type Worker } from "./killedWorkers.js";

const program = "schemaChangeWorker.ts";

export interface SchemaChangeOptions {
  readonly clients: number;
  /** How long each step of the roll-out is served. */
  readonly stepMs: number;
  /** Where the processes keep their rows. */
  readonly environment: Readonly<Record<string, string>>;
  readonly random: Random;
}

/** What became of a run. */
export interface SchemaChangeReport {
  readonly requests: number;
  readonly rows: number;
  /** Rows that a process of the earlier release made while the later one served. */
  readonly lateRows: number;
  /** One line for each thing that should not be. */
  readonly faults: readonly string[];
}

type Release = "earlier" | "later";

interface Served extends Worker {
  readonly release: Release;
}

/** What a client knows of one of its rows. */
interface Item {
  readonly id: number;
  title: string;
  price: number;
  status: string;
  /** Set by the later release only. */
  owner: string | null;
  code: string;
}

interface Run {
  readonly serving: Served[];
  readonly items: Item[];
  readonly faults: string[];
  readonly random: Random;
  requests: number;
  lateRows: number;
  made: number;
  isOver: boolean;
}

/**
 * Clients write and read while a release with a renamed, a defaulted, a backfilled and a required field takes the place of the one before it: two processes of each serve
 * at the same time. No request may fail, and no value may be lost.
 */
export async function changedWhileServing({ clients, stepMs, environment, random }: SchemaChangeOptions): Promise<SchemaChangeReport> {
  const run: Run = { serving: [], items: [], faults: [], random, requests: 0, lateRows: 0, made: 0, isOver: false };
  const start = async (release: Release) => {
    run.serving.push({ ...(await startWorker(program, { ...environment, RELEASE: release })), release });
    await sleep(stepMs);
  };
  try {
    await start("earlier");
    const writing = Promise.all(Array.from({ length: clients }, () => write(run)));
    for (const release of ["earlier", "later", "later"] as const) await start(release);
    for (const release of ["earlier", "earlier"] as const) await stop(run, release);
    // The next start fills what the earlier release has written beside the first ones.
    for (let count = 0; count < 2; count++) {
      await start("later");
      await stop(run, "later");
    }
    run.isOver = true;
    await writing;
    await judge(run);
  } finally {
    for (const { process } of run.serving) process.kill("SIGKILL");
  }
  return { requests: run.requests, rows: run.items.length, lateRows: run.lateRows, faults: run.faults };
}

/** Takes the first process of a release out of use, as a load balancer does, and ends it. */
async function stop({ serving }: Run, release: Release): Promise<void> {
  const [stopped] = serving.splice(
    serving.findIndex((each) => each.release === release),
    1,
  );
  // Requests that were sent before are answered.
  await sleep(200);
  stopped?.process.kill("SIGTERM");
  if (stopped) await once(stopped.process, "exit");
}

async function write(run: Run): Promise<void> {
  const own: Item[] = [];
  while (!run.isOver) {
    const server = pick(run.random, run.serving as [Served, ...Served[]]);
    const item = own[integer(run.random, own.length)];
    if (item === undefined || run.random() < 0.2) {
      const made = await create(run, server);
      if (made) own.push(made);
    } else if (run.random() < 0.4) await change(run, server, item);
    else await read(run, server, item);
  }
}

async function create(run: Run, server: Served): Promise<Item | undefined> {
  const name = `n${run.made++}`;
  const price = integer(run.random, 1_000);
  const isEarlier = server.release === "earlier";
  const later = { title: name, price, code: `own-${name}`, owner: `o-${name}` };
  const answer = await send(run, server, "POST", "/items", isEarlier ? { name, price } : later);
  if (answer === undefined) return undefined;
  const id = Number(answer["id"]);
  const item: Item = { id, title: name, price, status: "open", owner: isEarlier ? null : later.owner, code: isEarlier ? `c-${id}` : later.code };
  run.items.push(item);
  if (isEarlier && run.serving.some(({ release }) => release === "later")) run.lateRows += 1;
  compare(run, server, answer, item);
  return item;
}

/** PATCH or PUT. The earlier release does not know what the later one has set, and must not change it. */
async function change(run: Run, server: Served, item: Item): Promise<void> {
  const isEarlier = server.release === "earlier";
  const revision = run.made++;
  const next = { ...item, title: `n${revision}`, price: revision };
  const known = isEarlier ? { name: next.title, price: next.price } : { title: next.title, price: next.price };
  const isWhole = run.random() < 0.3;
  if (!isEarlier && (isWhole || run.random() < 0.5)) Object.assign(next, { status: pick(run.random, ["open", "closed"]), owner: `o${revision}` });
  const added = isEarlier ? {} : { status: next.status, code: item.code, ...(next.owner === null ? {} : { owner: next.owner }) };
  const answer = await send(run, server, isWhole ? "PUT" : "PATCH", `/items/${item.id}`, { ...known, ...added });
  if (answer === undefined) return;
  Object.assign(item, next);
  compare(run, server, answer, item);
}

async function read(run: Run, server: Served, item: Item): Promise<void> {
  const way = run.random();
  if (way < 0.6) {
    const answer = await send(run, server, "GET", `/items/${item.id}`);
    if (answer) compare(run, server, answer, item);
    return;
  }
  const names = server.release === "earlier" ? "name" : "title";
  const query = way < 0.8 ? `?${names}=${item.title}` : `?${names}=${item.title}&fields=id,${server.release === "earlier" ? "price" : "code,status"}`;
  const answer = await send(run, server, "GET", `/items${query}`);
  const [row] = (answer?.["data"] ?? []) as readonly Record<string, unknown>[];
  if (row !== undefined) compare(run, server, row, item);
  else if (answer) run.faults.push(`${server.release}: the row ${item.id} is not found by its ${names}`);
}

function compare({ faults }: Run, { release }: Pick<Served, "release">, answer: Readonly<Record<string, unknown>>, item: Item): void {
  const { id, title, price, status, owner, code } = item;
  const expected: Readonly<Record<string, unknown>> = release === "earlier" ? { id, name: title, price } : { id, title, price, status, owner, code };
  for (const [name, value] of Object.entries(answer)) {
    if (value !== expected[name])
      faults.push(`${release}: "${name}" of the row ${id} is ${JSON.stringify(value)}, not ${JSON.stringify(expected[name])}`);
  }
}

async function send(
  run: Run,
  { origin, release }: Served,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown> | undefined> {
  run.requests += 1;
  const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
  try {
    const answer = await fetch(`${origin}${path}`, { method, ...(body && { headers, body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text) as Record<string, unknown>;
    run.faults.push(`${release}: ${method} ${path} is ${answer.status}: ${text.slice(0, 300)}`);
  } catch (error) {
    run.faults.push(`${release}: ${method} ${path}: ${String(error)}`);
  }
  return undefined;
}

/** Every row has its values in the end, and the stored ones are found. */
async function judge(run: Run): Promise<void> {
  const [server] = run.serving;
  if (server === undefined) throw new Error("No process serves.");
  for (const item of run.items) {
    const answer = await send(run, server, "GET", `/items?code=${item.code}&status=${item.status}`);
    const [row] = (answer?.["data"] ?? []) as readonly Record<string, unknown>[];
    if (row === undefined) run.faults.push(`the row ${item.id} is not found by its code ${item.code} and its status ${item.status}`);
    else compare(run, server, row, item);
  }
}
