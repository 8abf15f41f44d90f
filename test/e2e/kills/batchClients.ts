import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { deadlineIn } from "../runScript.js";

/** A batch, and what its client was told of it. */
export interface SentBatch {
  readonly batch: string;
  /** Items that make a row; of a job that was given up, those that it has answered. */
  rows: number;
  /** Its workers died five times in a row before a step was done: that ends a job, and what it did stays. */
  givenUp?: true;
  answered: boolean;
  /** Requests that had to be sent again. */
  retried: number;
  readonly faults: string[];
}

/** Where a server listens now; after a kill it is another one. */
export type Origin = () => string;

/** Sends one batch, and ends when nothing more is to be heard of it. */
export type SendBatch = (origin: Origin, sent: (batch: SentBatch) => void) => Promise<void>;

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly body: {
    readonly status?: string;
    readonly processedRows?: number;
    readonly results?: readonly Result[];
    readonly result?: { readonly results: readonly Result[] };
    readonly links?: { readonly next?: string };
    readonly meta?: { readonly total?: number };
    readonly error?: { readonly code: string } | null;
  };
}

interface Result {
  readonly index: number;
  readonly status: number;
}

const pauseMs = 50;

/** Two hundred items, all or none, without a key: never sent again. Once the server is back, all of them are there or none. */
export const sendAtomic: SendBatch = async (origin, sent) => {
  const batch = newBatch(200);
  sent(batch);
  const items = Array.from({ length: batch.rows }, (_, item) => ({ batch: batch.batch, item }));
  const answer = await ask(origin(), "/things/batch", { items }, { prefer: "handling=strict, return=minimal" });
  if (answer === undefined) await sleep(pauseMs);
  batch.answered = answer?.status === 200;
  if (answer !== undefined && answer.status !== 200) batch.faults.push(`was answered ${answer.status}`);
  const counted = await untilAnswered(origin, batch, `/things?batch=${batch.batch}&count=exact&perPage=1`);
  const { total = -1 } = counted.body.meta ?? {};
  if (total !== batch.rows && (batch.answered || total !== 0)) batch.faults.push(`has ${total} rows after the kill`);
};

/** Fifteen hundred items under a key, each tenth of them wrong, sent until they are answered. */
export const sendKeyed: SendBatch = async (origin, sent) => {
  const batch = newBatch(1_350);
  sent(batch);
  const items = Array.from({ length: 1_500 }, (_, item) => ({ batch: batch.batch, item: item % 10 === 9 ? -1 : item }));
  const first = await untilAnswered(origin, batch, "/things/batch", { items }, { prefer: "return=minimal" });
  batch.answered = true;
  // One that took too long goes on as a job.
  const results = first.status === 202 ? await untilCompleted(origin, batch, first.location ?? "") : (first.body.results ?? []);
  judgeResults(batch, results, (index) => (index % 10 === 9 ? 422 : 201), items.length);
};

/** Five thousand items as a job, watched until it is completed. */
export const sendJob: SendBatch = async (origin, sent) => {
  const batch = newBatch(5_000);
  sent(batch);
  const items = Array.from({ length: batch.rows }, (_, item) => ({ batch: batch.batch, item }));
  const { status, location } = await untilAnswered(origin, batch, "/things/batch", { items }, { prefer: "respond-async, return=minimal" });
  if (status !== 202) batch.faults.push(`was answered ${status}`);
  batch.answered = true;
  judgeResults(batch, await untilCompleted(origin, batch, location ?? ""), () => 201, items.length);
};

function newBatch(rows: number): SentBatch {
  return { batch: randomUUID(), rows, answered: false, retried: 0, faults: [] };
}

function judgeResults(batch: SentBatch, results: readonly Result[], statusOf: (index: number) => number, total: number): void {
  if (batch.givenUp) batch.rows = results.filter(({ status }) => status === 201).length;
  else if (results.length !== total) batch.faults.push(`has ${results.length} results of ${total}`);
  const wrong = results.find(({ index, status }, at) => index !== at || status !== statusOf(at));
  if (wrong !== undefined) batch.faults.push(`has the result ${JSON.stringify(wrong)}`);
}

/** The results of a job, which must never go back on its way. */
async function untilCompleted(origin: Origin, batch: SentBatch, path: string): Promise<readonly Result[]> {
  const deadline = deadlineIn(900);
  for (let processed = 0; ; deadline.check(`${path} is not completed; it has processed ${processed} items`)) {
    const { body } = await untilAnswered(origin, batch, path);
    const { status, processedRows = -1 } = body;
    if (processedRows < processed) batch.faults.push(`went back from ${processed} to ${processedRows}`);
    processed = processedRows;
    if (status === "completed") break;
    if (status === "failed") {
      if (body.error?.code === "ATTEMPTS_EXHAUSTED") batch.givenUp = true;
      else batch.faults.push(`failed: ${JSON.stringify(body.error)}`);
      break;
    }
    await sleep(pauseMs);
  }
  const results: Result[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { body } = await untilAnswered(origin, batch, next);
    results.push(...(body.result?.results ?? []));
    next = body.links?.next;
  }
  return results;
}

/** Sends the same request, under one key where it has a body, until it is answered otherwise than by "not now". */
async function untilAnswered(origin: Origin, batch: SentBatch, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
  for (const deadline = deadlineIn(300); ; deadline.check(`${path} has no answer`)) {
    const answer = await ask(origin(), path, body, { ...headers, "idempotency-key": batch.batch });
    if (answer !== undefined && answer.status < 500 && answer.status !== 409) {
      if (answer.status >= 400) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer;
    }
    batch.retried += 1;
    await sleep(pauseMs);
  }
}

/** @returns `undefined` where nobody listens, or the connection breaks off */
async function ask(origin: string, path: string, body: object | undefined, headers: Record<string, string>): Promise<Answer | undefined> {
  try {
    const post = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(origin + path, body === undefined ? {} : post);
    return { status: response.status, location: response.headers.get("location"), body: (await response.json()) as Answer["body"] };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
