import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { deadlineIn } from "../runScript.js";
import { type KilledWorkers, startWorkers } from "./killedWorkers.js";

export interface ImportKillOptions {
  /** SIGKILLs, spread over the workers. */
  readonly kills: number;
  /** Processes on one storage. */
  readonly workers: number;
  /** Imports under way at a time. */
  readonly clients: number;
  readonly rows: number;
  /** Where the workers keep their rows and files. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long until the next kill. */
  readonly aliveMs: (kill: number) => number;
  /** Stops workers for longer than a lease, too. */
  readonly pauses?: boolean;
  /** Called before the first import. */
  readonly begin?: (origin: string) => Promise<void>;
  /** Called after the last import. @returns what is wrong */
  readonly end?: (origin: string) => Promise<readonly string[]>;
}

/** What became of a run. */
export interface ImportKillReport {
  readonly imports: number;
  readonly completed: number;
  readonly rows: number;
  /** Times that a failed import was told to go on. */
  readonly resumed: number;
  /** Rows that were left out since workers died of them, or seemed to. */
  readonly leftOut: number;
  /** One line for each thing that should not be. */
  readonly faults: readonly string[];
}

interface Job {
  readonly status: string;
  readonly progress: number;
  readonly processedRows: number;
  readonly result: { readonly created: number; readonly failed: number };
  readonly error: { readonly code: string } | null;
  readonly links: { readonly resume?: string };
}

const pauseMs = 50;
/** Every so many rows one is wrong. */
const wrongEvery = 97;
const maxPauseMs = 1_500;

/** Imports files while the workers are killed at random; in the end each row of each file must be there once, or be in the report. */
export async function importsWhileKilled(options: ImportKillOptions): Promise<ImportKillReport> {
  const workers = await startWorkers("importWorker.ts", options.workers, options.environment);
  const state = { isOver: false };
  const report = { imports: 0, completed: 0, rows: 0, resumed: 0, leftOut: 0, faults: [] as string[] };
  try {
    await options.begin?.(workers.origins[0] ?? "");
    const importing = Promise.all(Array.from({ length: options.clients }, (_, client) => importInTurn(options, workers, client, report, state)));
    const pausing = options.pauses === true ? pauseNowAndThen(workers, state) : undefined;
    await Promise.race([workers.killInTurn(options.kills, options.aliveMs), importing]);
    state.isOver = true;
    await Promise.all([importing, pausing]);
    report.faults.push(...((await options.end?.(workers.origins[0] ?? "")) ?? []));
    return report;
  } finally {
    workers.end();
  }
}

type Tally = { -readonly [K in keyof ImportKillReport]: ImportKillReport[K] } & { faults: string[] };

async function importInTurn(
  options: ImportKillOptions,
  workers: KilledWorkers,
  client: number,
  report: Tally,
  state: { isOver: boolean },
): Promise<void> {
  for (let turn = client; !state.isOver; turn++) {
    const name = randomUUID();
    const isWhole = turn % 3 === 2;
    report.imports += 1;
    const ask = asker(workers, client);
    const location = await submit(ask, name, isWhole, options.rows);
    const job = await untilCompleted(ask, location, report, name);
    report.completed += 1;
    await judge(ask, { name, location, job, isWhole, rows: options.rows }, report);
  }
}

async function pauseNowAndThen(workers: KilledWorkers, state: { isOver: boolean }): Promise<void> {
  for (let turn = 0; !state.isOver; turn++) {
    await sleep(700);
    await workers.pause(turn % workers.origins.length, maxPauseMs);
  }
}

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
}

type Ask = (path: string, init?: RequestInit) => Promise<Answer>;

/** Asks the workers in turn, until one answers. */
function asker(workers: KilledWorkers, client: number): Ask {
  let turn = client;
  return async (path, init) => {
    for (const deadline = deadlineIn(120); ; deadline.check(`no worker has answered ${path}`)) {
      const { origins } = workers;
      const origin = origins[turn++ % origins.length];
      try {
        const response = await fetch(`${origin}${path}`, { ...init, signal: AbortSignal.timeout(10_000) });
        const text = await response.text();
        if (response.status < 500 && response.status !== 429 && response.status !== 409) {
          return { status: response.status, location: response.headers.get("location"), text };
        }
      } catch {
        // It was killed, or is being started.
      }
      await sleep(pauseMs);
    }
  };
}

/** Under a key: however often it is sent, it is one import. */
async function submit(ask: Ask, name: string, isWhole: boolean, rows: number): Promise<string> {
  const lines = Array.from({ length: rows }, (_, item) => `${name},${!isWhole && item % wrongEvery === 0 ? -1 : item}`);
  const answer = await ask(`/imports?collection=things${isWhole ? "&onError=stop" : ""}`, {
    method: "POST",
    headers: { "content-type": "text/csv", "idempotency-key": `import-${name}` },
    body: `import,item\n${lines.join("\n")}\n`,
  });
  if (answer.status !== 202 || answer.location === null) throw new Error(`An import was answered ${answer.status}: ${answer.text}`);
  return answer.location;
}

async function untilCompleted(ask: Ask, location: string, report: Tally, name: string): Promise<Job> {
  let before = { progress: 0, processedRows: 0 };
  for (const deadline = deadlineIn(900); ; deadline.check(`the import ${name} is not completed; its progress is ${before.progress}`)) {
    const { text } = await ask(location);
    const job = JSON.parse(text) as Job;
    if (job.progress < before.progress || job.processedRows < before.processedRows) report.faults.push(`${name} went backwards: ${text}`);
    before = job;
    if (job.status === "completed") return job;
    if (job.status === "failed") {
      if (job.links.resume === undefined) throw new Error(`An import cannot go on: ${text}`);
      report.resumed += 1;
      before = { progress: 0, processedRows: 0 };
      await ask(job.links.resume, { method: "POST" });
    }
    await sleep(pauseMs);
  }
}

interface Completed {
  readonly name: string;
  readonly location: string;
  readonly job: Job;
  readonly isWhole: boolean;
  readonly rows: number;
}

async function judge(ask: Ask, { name, location, job, isWhole, rows }: Completed, report: Tally): Promise<void> {
  const wrong = isWhole ? 0 : Math.ceil(rows / wrongEvery);
  const items = await itemsOf(ask, name);
  const errors = await errorsOf(ask, location);
  const crashed = errors.filter(({ code }) => code === "WORKER_CRASHED").length;
  report.rows += items.length;
  report.leftOut += crashed;
  // No row of these files kills its process.
  if (crashed > 0) report.faults.push(`${name} leaves out ${crashed} good rows`);
  const twice = items.length - new Set(items).size;
  if (twice > 0) report.faults.push(`${name} has ${twice} rows twice`);
  if (items.length !== job.result.created) report.faults.push(`${name} has ${items.length} rows, and says ${job.result.created}`);
  if (errors.length !== job.result.failed) report.faults.push(`${name} tells of ${errors.length} failed rows, and says ${job.result.failed}`);
  if (items.length + errors.length !== rows) report.faults.push(`${name} has ${items.length} rows and ${errors.length} failed ones of ${rows}`);
  if (errors.length - crashed > wrong) report.faults.push(`${name} has ${errors.length} failed rows instead of ${wrong}`);
}

async function itemsOf(ask: Ask, name: string): Promise<readonly number[]> {
  const items: number[] = [];
  for (let next: string | undefined = `/things?import=${name}&perPage=10000&count=none&fields=id,item&sort=id`; next !== undefined; ) {
    const page: { data: { item: number }[]; links: { next?: string }; meta: { nextCursor: string | null } } = JSON.parse((await ask(next)).text);
    items.push(...page.data.map(({ item }) => item));
    next = page.meta.nextCursor === null ? undefined : page.links.next;
  }
  return items;
}

async function errorsOf(ask: Ask, location: string): Promise<readonly { readonly code: string }[]> {
  const errors: { code: string }[] = [];
  for (let next: string | undefined = `${location}/errors`; next !== undefined; ) {
    const page: { errors: { code: string }[]; links: { next?: string } } = JSON.parse(
      (await ask(next, { headers: { accept: "application/json" } })).text,
    );
    errors.push(...page.errors);
    next = page.links.next;
  }
  return errors;
}
