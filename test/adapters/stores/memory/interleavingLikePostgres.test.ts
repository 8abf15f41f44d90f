// @slow

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { describe, expect, test } from "vitest";
import { interleavedStorage } from "../../../../adapters/stores/memory/interleaving/interleavedStorage.js";
import type { Collection, Row } from "../../../../src/ground/storage/collection.js";
import { Retryable } from "../../../../src/ground/storage/errors.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Outcome } from "../../../../src/ground/storage/outcome.js";
import type { Storage, TransactionOptions } from "../../../../src/ground/storage/storage.js";
import { needs, postgresUrl } from "../../../tools/engines.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const model: CollectionModel = {
  name: "things",
  id: "id",
  idFrom: "caller",
  columns: [
    { name: "id", kind: "text" },
    { name: "code", kind: "text" },
    { name: "quantity", kind: "int" },
  ],
  unique: [{ fields: ["code"] }],
  indexes: [],
  searchable: [],
};

interface Step {
  readonly who: 0 | 1;
  readonly kind: "get" | "count" | "insert" | "update" | "compareAndSet" | "code" | "remove" | "update lock" | "share lock" | "commit" | "rollback";
  readonly id: string;
  readonly code: string | null;
}

interface Program {
  readonly isolations: readonly [TransactionOptions["isolation"], TransactionOptions["isolation"]];
  readonly steps: readonly Step[];
}

const isolation = fc.constantFrom("committed", "committed", "snapshot");
const step = fc.record({
  who: fc.constantFrom(0, 1),
  kind: fc.constantFrom<Step["kind"][]>(
    ...(["get", "count", "insert", "update", "compareAndSet", "code", "remove", "update lock", "share lock", "commit", "rollback"] as const),
  ),
  id: fc.constantFrom("a", "b", "c"),
  code: fc.constantFrom("1", "2", null),
});
/** A statement of PostgreSQL that has waited for a row does not find another that its transaction has put in its place. */
const replacesRow = ({ steps }: Program) =>
  steps.some(
    ({ who, kind, id }, at) => kind === "insert" && steps.slice(0, at).some((one) => one.who === who && one.kind === "remove" && one.id === id),
  );
const program = fc
  .record<Program>({ isolations: fc.tuple(isolation, isolation), steps: fc.array(step, { minLength: 4, maxLength: 14 }) })
  .filter((given) => !replacesRow(given));

/** A store, and how to tell that calls of it wait for transactions. */
interface Subject {
  readonly storage: Storage;
  /** How many calls wait now; `undefined` if some may still run. */
  waiting(): Promise<number | undefined>;
}

class Rollback extends Error {}

/** A transaction whose calls come from outside. */
class Actor {
  readonly tx: Storage;
  readonly #end: (isCommit: boolean) => Promise<unknown>;
  readonly #versions = new Map<string, string>();
  /** The call that waits. */
  pending: Promise<unknown> | undefined;
  isOver = false;

  private constructor(tx: Storage, end: (isCommit: boolean) => Promise<unknown>) {
    this.tx = tx;
    this.#end = end;
  }

  static begin({ transaction }: Storage, isolation: TransactionOptions["isolation"]): Promise<Actor> {
    let end = (_isCommit: boolean) => {};
    const ending = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    return new Promise((resolve, reject) => {
      const body = async (tx: Storage) => {
        const isEnd = (isCommit: boolean) => {
          end(isCommit);
          return ended;
        };
        // PostgreSQL takes the snapshot with the first statement.
        await tx.collection(model).get("z", {});
        resolve(new Actor(tx, isEnd));
        if (!(await ending)) throw new Rollback("on purpose");
      };
      const ended = (transaction as NonNullable<Storage["transaction"]>)(body, { isolation });
      ended.catch(reject);
    });
  }

  async end(isCommit: boolean): Promise<string> {
    this.isOver = true;
    try {
      await this.#end(isCommit);
      return "committed";
    } catch (error) {
      if (error instanceof Rollback) return "rolled back";
      throw error;
    }
  }

  async perform({ kind, id, code }: Step, version: Stamp): Promise<unknown> {
    const rows = this.tx.collection(model);
    if (kind === "get") return this.#see(await rows.get(id, {}));
    if (kind === "count") return rows.count?.(undefined, {});
    if (kind === "insert") return answer(await rows.insert({ id, code, ...version }, {}));
    if (kind === "update") return answer(await rows.update(id, version, {}));
    if (kind === "compareAndSet") return answer(await rows.update(id, version, { ifVersion: this.#versions.get(id) ?? "none" }));
    if (kind === "code") return answer(await rows.update(id, { code, ...version }, {}));
    if (kind === "remove") return answer(await rows.remove(id, {}));
    if (kind === "commit" || kind === "rollback") return this.end(kind === "commit");
    const [found] = await rows.find({ filter: { op: "eq", path: ["id"], value: id }, sort: [], limit: 1, lock: lockOf[kind] }, {});
    // Under a shared lock other values may change, and PostgreSQL may show the earlier ones.
    return kind === "share lock" ? found !== undefined : this.#see(found);
  }

  #see(row: Row | undefined): unknown {
    if (row === undefined) return "missing";
    this.#versions.set(String(row["id"]), row._version);
    return valuesOf(row);
  }
}

type Stamp = ReturnType<typeof stampOf>;
const stampOf = (quantity: number) => ({ quantity, _version: `v${quantity}`, _updatedAt: new Date(0) });
const lockOf = { "update lock": "update", "share lock": "share" } as const;

const valuesOf = (row: Row) => [row["id"], row["code"] ?? null, row["quantity"]];

function answer(outcome: Outcome<Row>): unknown {
  if (outcome.ok) return valuesOf(outcome.row);
  return outcome.why === "conflict" ? `conflict of ${outcome.fields.join()}` : outcome.why;
}

const isDeadlock = (error: unknown) =>
  error instanceof Retryable && (error.message.includes("waited for each other") || (error.cause as { readonly code?: string })?.code === "40P01");

/** Waits until the call has ended, or waits for a transaction. @param others how many calls wait besides it */
async function hasEnded({ waiting }: Subject, call: Promise<unknown>, others: number): Promise<boolean> {
  let isSettled = false;
  const settled = () => {
    isSettled = true;
  };
  call.then(settled, settled);
  for (;;) {
    const count = await waiting();
    await new Promise((resolve) => setImmediate(resolve));
    if (isSettled) return true;
    if (count !== undefined && count > others) return false;
  }
}

/** What a program answered, step by step, and the rows that it left. A transaction that waits takes no steps. It ends with a deadlock. */
async function transcript(subject: Subject, { isolations, steps }: Program): Promise<readonly unknown[]> {
  const { storage } = subject;
  const rows = storage.collection(model) as Required<Collection>;
  await rows.removeMany(undefined, {});
  for (const [index, id] of ["a", "b"].entries()) await rows.insert({ id, code: String(index + 1), ...stampOf(index) }, {});
  const actors = [await Actor.begin(storage, isolations[0]), await Actor.begin(storage, isolations[1])] as const;
  const lines: unknown[] = [];
  const end = { kind: "commit", id: "a", code: null } as const;
  const all = [...steps, { ...end, who: 0 }, { ...end, who: 1 }, { ...end, who: 0 }] as const;
  /** Whether the program can go on. */
  const follow = async (who: 0 | 1, call: Promise<unknown>) => {
    const actor = actors[who];
    const other = actors[who === 0 ? 1 : 0];
    actor.pending = call;
    if (!(await hasEnded(subject, call, other.pending === undefined ? 0 : 1))) return other.pending === undefined;
    actor.pending = undefined;
    const result = await call.catch((error: unknown) => error);
    if (isDeadlock(result)) return false;
    if (result instanceof Retryable) await actor.end(false).catch(() => {});
    else if (result instanceof Error) throw result;
    lines.push([who, result instanceof Retryable ? "run again" : result]);
    return true;
  };
  for (const [index, step] of all.entries()) {
    const actor = actors[step.who];
    const other = step.who === 0 ? 1 : 0;
    if (actor.isOver || actor.pending !== undefined) continue;
    lines.push(step);
    const call = actor.perform(step, stampOf(index + 10));
    call.catch(() => {});
    const { pending } = actors[other];
    const goesOn = (await follow(step.who, call)) && (pending === undefined || (await follow(other, pending)));
    if (!goesOn) {
      // Which of the two is refused is not compared.
      await Promise.allSettled(
        actors.map(async (each) => {
          await each.pending?.catch(() => {});
          await each.end(false);
        }),
      );
      return [...lines, "deadlock"];
    }
  }
  const left = await rows.find({ sort: [{ path: ["id"], dir: "asc" }], limit: 9 }, {});
  return [...lines, ...left.map(valuesOf)];
}

/** How many lines must be equal. */
function sameSteps({ isolations }: Program, found: readonly unknown[], expected: readonly unknown[]): number | undefined {
  // In PostgreSQL a call that waits for a unique key already holds its row, which another one may then wait for.
  if (expected.at(-1) === "deadlock") return expected.length - 1;
  const first = found.findIndex((line, at) => !isDeepStrictEqual(line, expected[at]));
  const line = found[first];
  if (!Array.isArray(line) || line[1] !== "run again" || isolations[line[0] as 0 | 1] !== "snapshot") return undefined;
  // PostgreSQL compares ids and keys with rows that the snapshot does not show. Here a collision with a row that others have changed since then is no answer.
  const isStep = (one: unknown): one is Step => typeof one === "object" && one !== null && "who" in one && one.who === line[0];
  const { kind } = found.slice(0, first).findLast(isStep) ?? { kind: undefined };
  return kind === "insert" || kind === "code" ? first : undefined;
}

/** Tells when all calls of the interleaving store have ended or wait. */
function interleaved(): Subject {
  const { storage, turns } = interleavedStorage({ seed: 1 });
  return { storage, waiting: async () => (turns.isIdle ? turns.blocked.length : undefined) };
}

describe("the interleaving store, compared with PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  test("two transactions see, wait for and refuse the same, step by step", async () => {
    const schema = ownSchema();
    const address = new URL(await schema.create());
    address.searchParams.set("application_name", schema.name);
    const storage = postgresStorage({ connectionString: address.href });
    await storage.migrate?.([model]);
    const client = new pg.Client({ connectionString: postgresUrl });
    await client.connect();
    const text = "select count(*)::int as waiting from pg_locks join pg_stat_activity using (pid) where not granted and application_name = $1";
    const waiting = async () => (await client.query<{ waiting: number }>(text, [schema.name])).rows[0]?.waiting;
    try {
      const compared = fc.asyncProperty(program, async (given) => {
        const expected = await transcript({ storage, waiting }, given);
        const found = await transcript(interleaved(), given);
        const same = sameSteps(given, found, expected);
        expect(found.slice(0, same)).toEqual(expected.slice(0, same));
      });
      await fc.assert(compared, { numRuns: propertyRuns(1_000), endOnFailure: true });
    } finally {
      await client.end();
      await storage.close?.();
      await schema.drop();
    }
  });
});
