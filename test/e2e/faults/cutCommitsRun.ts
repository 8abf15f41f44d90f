import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createService, defineResource } from "restwright";
import { batch } from "restwright/batch";
import { postgresStorage } from "restwright/postgres";
import { z } from "zod";
import { cuttable } from "../../adapters/stores/postgres/cuttable.js";
import { integer, type Random } from "../../fuzz/random.js";
import { clientOf, type Received } from "../../tools/client.js";
import { deadlineIn } from "../runScript.js";

/** What became of a run. */
export interface CutCommitsReport {
  readonly batches: number;
  readonly rows: number;
  /** Connections that broke off after a COMMIT, before its answer. */
  readonly cuts: number;
  /** By the number of the COMMIT in its batch. */
  readonly cutAt: ReadonlyMap<number, number>;
  /** Requests that were sent again. */
  readonly retried: number;
  /** Batches that were answered at once, as none of their COMMITs was cut. */
  readonly uncut: number;
  /** From the first request to the answer, the slowest batch, in milliseconds. */
  readonly slowestMs: number;
  /** One line for each thing that should not be. */
  readonly faults: readonly string[];
}

const rows = defineResource("rows", {
  schema: z.object({ id: z.int(), batch: z.string(), item: z.int().min(0) }),
  generated: { id: "increment" },
  index: ["batch"],
});
/** Each so many items one is refused. */
const wrongEvery = 100;
/** At most so many connections break off in one batch. */
const maxCuts = 3;
const pauseMs = 20;
/** `COMMIT` as a message of a client of PostgreSQL: the kind of the message, its length and the text. */
const commitMessage = Buffer.from("Q\0\0\0\x0bcommit\0", "latin1");

/** Batches under keys whose connections break off when the database has got a COMMIT, each sent until it is answered. */
export async function batchesWithCutCommits(connectionString: string, batches: number, items: number, random: Random): Promise<CutCommitsReport> {
  /** How many COMMITs pass before one is cut, and how many there were in this batch. */
  const plan = { left: Number.POSITIVE_INFINITY, cutsLeft: 0, seen: 0 };
  let commitsOfBatch = 1;
  let cuts = 0;
  const cutAt = new Map<number, number>();
  const way = await cuttable(new URL(connectionString), (sent) => {
    if (!sent.includes(commitMessage)) return false;
    plan.seen += 1;
    plan.left -= 1;
    if (plan.left >= 0 || plan.cutsLeft === 0) return false;
    plan.cutsLeft -= 1;
    plan.left = integer(random, commitsOfBatch);
    cuts += 1;
    cutAt.set(plan.seen, (cutAt.get(plan.seen) ?? 0) + 1);
    return true;
  });
  const storage = postgresStorage({ connectionString: way.url });
  const service = createService({
    resources: [rows],
    ...{ storage, logger: false, secrets: ["a secret of the service itself, long enough"] },
    limits: { batchItems: items, batchMs: 120_000, maxPerPage: items },
    use: [batch()],
  });
  const tally = { batches: 0, rows: 0, retried: 0, uncut: 0, slowestMs: 0, faults: [] as string[] };
  try {
    await service.start();
    const send = clientOf(service);
    for (let turn = 0; turn <= batches; turn++) {
      // The first one is not cut, and shows how many COMMITs a batch has.
      Object.assign(plan, { seen: 0, cutsLeft: turn === 0 ? 0 : 1 + integer(random, maxCuts), left: integer(random, commitsOfBatch) });
      const name = randomUUID();
      const startedMs = performance.now();
      const { answer, tries } = await sendUntilAnswered(send, name, items);
      if (turn === 0) commitsOfBatch = plan.seen;
      Object.assign(plan, { cutsLeft: 0 });
      const stored = (await send({ target: `/rows?batch=${name}&perPage=${items}&count=none&fields=id,item&sort=id` })).json.data as readonly Row[];
      tally.faults.push(...judge(name, answer, stored, items));
      if (turn === 0) continue;
      tally.batches += 1;
      tally.rows += stored.length;
      tally.retried += tries - 1;
      if (tries === 1) tally.uncut += 1;
      tally.slowestMs = Math.max(tally.slowestMs, performance.now() - startedMs);
    }
  } finally {
    await service.close({ graceMs: 0 });
    await storage.close?.();
    way.close();
  }
  return { ...tally, cuts, cutAt };
}

interface Row {
  readonly id: number;
  readonly item: number;
}

interface Result {
  readonly index: number;
  readonly status: number;
  readonly data?: Row;
}

async function sendUntilAnswered(send: ReturnType<typeof clientOf>, name: string, count: number) {
  const items = Array.from({ length: count }, (_, item) => ({ batch: name, item: isWrong(item) ? -1 : item }));
  const deadline = deadlineIn(90);
  for (let tries = 1; ; tries++) {
    const answer = await send({ method: "POST", target: "/rows/batch", body: { items }, headers: { "idempotency-key": name } });
    // Some items are wrong.
    if (answer.status === 207) return { answer, tries };
    if (answer.status !== 409 && answer.status !== 503) throw new Error(`A batch was answered ${answer.status}: ${answer.text.slice(0, 500)}`);
    deadline.check(`the batch ${name} has no answer but ${answer.status}: ${answer.text.slice(0, 300)}`);
    await sleep(pauseMs);
  }
}

const isWrong = (item: number): boolean => item % wrongEvery === wrongEvery - 1;

/** Each good item must be there once and have the result of its row; each wrong one must be refused. */
function judge(name: string, { json }: Received, stored: readonly Row[], items: number): readonly string[] {
  const results = json.results as readonly Result[];
  const byItem = new Map(stored.map((row) => [row.item, row]));
  const faults: string[] = [];
  const good = Array.from({ length: items }, (_, item) => item).filter((item) => !isWrong(item));
  if (stored.length !== byItem.size) faults.push(`${stored.length - byItem.size} rows are there twice`);
  const missing = good.filter((item) => !byItem.has(item));
  if (missing.length > 0) faults.push(`${missing.length} items are missing, the first one is ${missing[0]}`);
  if (byItem.size + missing.length !== good.length) faults.push(`there are ${byItem.size} rows of ${good.length} items`);
  if (results.length !== items) faults.push(`there are ${results.length} results of ${items} items`);
  const isRight = ({ index, status, data }: Result, at: number) =>
    index === at && (isWrong(at) ? status === 422 : status === 201 && data?.item === at && data.id === byItem.get(at)?.id);
  const wrong = results.find((result, at) => !isRight(result, at));
  if (wrong !== undefined) faults.push(`there is the result ${JSON.stringify(wrong)}`);
  return faults.map((fault) => `${name}: ${fault}.`);
}
