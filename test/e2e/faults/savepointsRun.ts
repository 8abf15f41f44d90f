import { setTimeout as sleep } from "node:timers/promises";
import type { Storage } from "restwright";
import type { TransactionCollections } from "../../../src/engine/calls/index.js";
import { type HookStage, hookStage, type Told } from "../../capabilities/hooks/hookStage.js";
import { integer, type Random } from "../../fuzz/random.js";
import { deadlineIn } from "../runScript.js";

/** What became of a run. */
export interface SavepointsReport {
  /** Requests whose hook left its savepoint behind. */
  readonly offenders: number;
  /** Calls of these hooks after the end of their requests, which were refused. */
  readonly lateCalls: number;
  /** Requests beside them, which write in savepoints of their own. */
  readonly innocents: number;
  /** One line for each thing that should not be. */
  readonly faults: readonly string[];
}

/** Far longer than the hook of an innocent request takes on a busy machine. */
const hookMs = 1_000;
/** Requests that begin with the offender, and as soon as it is answered. */
const beside = 4;
const lateCallsOfOne = 4;

/** @param inside resolves when the savepoint has its first row */
type Leave = (nested: Promise<unknown>, inside: Promise<void>) => Promise<unknown>;

async function refuse(inside: Promise<void>): Promise<never> {
  await inside;
  throw new Error("The other branch refuses.");
}

/** How a hook leaves its savepoint behind, and how its request is answered. */
const ways: readonly { readonly name: string; readonly status: number; readonly leave: Leave }[] = [
  { name: "late", status: 503, leave: (nested) => nested },
  { name: "refused", status: 500, leave: (nested, inside) => Promise.all([nested, refuse(inside)]) },
  { name: "refused beside two", status: 500, leave: (nested, inside) => Promise.all([nested, Promise.allSettled([nested]), refuse(inside)]) },
];

/** In each round a hook leaves a savepoint behind that goes on while other requests write in theirs. */
export async function besideSavepoints(storage: Storage, rounds: number, random: Random): Promise<SavepointsReport> {
  const stage = await hookStage(async () => ({ storage, end: async () => {} }), { limits: { hookMs, maxPerPage: 1_000 } });
  const tally = { offenders: 0, lateCalls: 0, innocents: 0, faults: [] as string[] };
  try {
    for (let round = 0; round < rounds; round++) await runRound(stage, round, random, tally);
    return tally;
  } finally {
    await stage.close();
  }
}

type Tally = { -readonly [K in keyof SavepointsReport]: SavepointsReport[K] } & { faults: string[] };

async function runRound(stage: HookStage, round: number, random: Random, tally: Tally): Promise<void> {
  const way = ways[integer(random, ways.length)];
  if (way === undefined) return;
  const offender = new Offender(stage, `${round} ${way.name}`, random);
  stage.of.orders.afterWrite = (told) =>
    told.row.sku === offender.sku ? way.leave(offender.begin(told.tx), offender.inside) : writeInSavepoint(stage, told, random);
  const post = (sku: string) => stage.send("POST", "/orders", { sku, pieces: 1 });
  const skus = Array.from({ length: 2 * beside }, (_, number) => `${round} good ${number}`);
  const answer = post(offender.sku);
  const first = skus.slice(0, beside).map(post);
  const { status } = await answer;
  offender.goOn();
  const answers = await Promise.all([...first, ...skus.slice(beside).map(post)]);
  await offender.untilOver();
  tally.offenders += 1;
  tally.lateCalls += offender.refusedCalls;
  tally.innocents += skus.length;
  if (status !== way.status) tally.faults.push(`${offender.sku} was answered ${status}`);
  for (const [index, { status: given, text }] of answers.entries())
    if (given !== 201) tally.faults.push(`${skus[index]} was answered ${given}: ${text}`);
  tally.faults.push(...offender.faults, ...(await missingRows(stage, round, skus)));
}

/** A request whose hook has a savepoint that is not over when its request is. */
class Offender {
  readonly sku: string;
  readonly faults: string[] = [];
  refusedCalls = 0;
  readonly #stage: HookStage;
  readonly #random: Random;
  #isInside = () => {};
  readonly inside = new Promise<void>((resolve) => {
    this.#isInside = resolve;
  });
  #goOn = () => {};
  readonly #mayGoOn = new Promise<void>((resolve) => {
    this.#goOn = resolve;
  });
  #nested: Promise<unknown> | undefined;

  constructor(stage: HookStage, sku: string, random: Random) {
    this.#stage = stage;
    this.sku = sku;
    this.#random = random;
  }

  begin(tx: TransactionCollections): Promise<unknown> {
    const endsWithError = this.#random() < 0.5;
    const isDeep = this.#random() < 0.5;
    const work = async (inner: Pick<TransactionCollections, "of">) => {
      await log(this.#stage, inner, this.sku);
      this.#isInside();
      await this.#mayGoOn;
      for (let call = 0; call < lateCallsOfOne; call++) {
        await sleep(integer(this.#random, 4));
        await log(this.#stage, inner, this.sku).then(
          () => this.faults.push(`${this.sku} wrote after its end`),
          () => (this.refusedCalls += 1),
        );
      }
      if (endsWithError) throw new Error("Late.");
    };
    this.#nested = tx.transaction((inner) => (isDeep ? inner.transaction(work) : work(inner)));
    this.#nested.catch(() => {});
    return this.#nested;
  }

  goOn(): void {
    this.#goOn();
  }

  async untilOver(): Promise<void> {
    const deadline = deadlineIn(30);
    let isOver = this.#nested === undefined;
    this.#nested?.catch(() => {}).finally(() => (isOver = true));
    for (; !isOver; await sleep(1)) deadline.check(`the savepoint of ${this.sku} is not over`);
  }
}

const log = (stage: HookStage, tx: Pick<TransactionCollections, "of">, text: string) => tx.of(stage.logs).create({ text });

/** What the hook of an innocent request does. */
function writeInSavepoint(stage: HookStage, { tx, row }: Told, random: Random): Promise<unknown> {
  return tx.transaction(async (inner) => {
    await log(stage, inner, row.sku);
    await sleep(integer(random, 6));
    await log(stage, inner, row.sku);
  });
}

/** Each innocent request must have its row and both lines of its savepoint, the offender nothing. */
async function missingRows({ send }: HookStage, round: number, skus: readonly string[]): Promise<readonly string[]> {
  const read = async (path: string, member: "sku" | "text") => {
    const { json } = await send("GET", `${path}?perPage=1000&count=none&sort=-id`);
    const values = (json.data as readonly Record<string, string>[]).map((row) => row[member] ?? "").filter((value) => value.startsWith(`${round} `));
    return values.sort();
  };
  const [orders, lines] = [await read("/orders", "sku"), await read("/logs", "text")];
  const expected = [...skus].sort();
  const faults: string[] = [];
  if (String(orders) !== String(expected)) faults.push(`round ${round} has the orders ${orders.join(", ")}`);
  if (String(lines) !== String(expected.flatMap((sku) => [sku, sku]))) faults.push(`round ${round} has the lines ${lines.join(", ")}`);
  return faults;
}
