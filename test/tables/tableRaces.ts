import type pg from "pg";
import { createService, defineResource, type Storage } from "restwright";
import { z } from "zod";
import type { TableVersion } from "../../src/storage/tableOptions.js";

/** The kinds of versions, and what a program of the developer's sets so that they change with its own writes. */
export const versionKinds: Readonly<
  Record<string, { readonly version: TableVersion; readonly column: string; readonly set: string; readonly triggers: string }>
> = {
  hash: { version: "hash", column: "", set: "", triggers: "" },
  "an integer": {
    version: { column: "lock_version", by: "restwright" },
    column: ", lock_version int not null default 1",
    set: ", lock_version = lock_version + 1",
    triggers: "",
  },
  "an integer of a trigger": {
    version: { column: "lock_version", by: "trigger" },
    column: ", lock_version int not null default 1",
    set: "",
    triggers: `
      create function count_version() returns trigger language plpgsql as $$ begin new.lock_version := old.lock_version + 1; return new; end $$;
      create trigger count before update on counters for each row execute function count_version();`,
  },
  "an instant": {
    version: { column: "version_at" },
    column: ", version_at timestamptz(6) not null default clock_timestamp()",
    set: ", version_at = greatest(clock_timestamp(), version_at + interval '1 microsecond')",
    triggers: "",
  },
  xmin: { version: "xmin", column: "", set: "", triggers: "" },
};

export type VersionKind = (typeof versionKinds)[string];

/** Makes the table of the developer, with `keys` rows. `others` counts the writes of other programs, `quantity` all of them, so that no state returns. */
export async function createCounters(pool: pg.Pool, { column, triggers }: VersionKind, keys: number): Promise<void> {
  await pool.query(`
    drop table if exists counters cascade; drop function if exists count_version();
    create table counters (id text primary key, quantity int8 not null default 0, others int4 not null default 0, unmapped text default 'untouched'${column});
    insert into counters (id) select 'k' || number from generate_series(1, ${Math.trunc(keys)}) as number;
    ${triggers}`);
}

/** The statement of another program. */
export function foreignWrite({ set }: VersionKind): string {
  return `update counters set quantity = quantity + 1, others = others + 1${set} where id = `;
}

export interface State {
  readonly id: string;
  readonly quantity: number;
  readonly others: number;
}

export interface Answer {
  readonly status: number;
  readonly tag: string;
  readonly state: State | undefined;
}

/** A service over the table that remembers which state each tag was answered with. */
export class Counters {
  readonly faults: string[] = [];
  readonly #service;
  readonly #states = new Map<string, string>();
  /** The highest quantity of each key that was committed before now. */
  readonly #committed = new Map<string, number>();

  constructor(storage: Storage, { version }: VersionKind) {
    const counters = defineResource("counters", {
      schema: z.object({ id: z.string(), quantity: z.int(), others: z.int() }),
      table: { name: "counters", managed: false, version, tenant: "shared" },
    });
    this.#service = createService({ resources: [counters], storage, logger: false });
  }

  read(id: string, ifNoneMatch?: string): Promise<Answer> {
    return this.#send(id, "GET", ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch });
  }

  write(id: string, quantity: number, ifMatch: string): Promise<Answer> {
    return this.#send(id, "PATCH", { "if-match": ifMatch, "content-type": "application/merge-patch+json" }, JSON.stringify({ quantity }));
  }

  /** Another program committed a write. */
  committed(id: string, quantity: number): void {
    this.#committed.set(id, Math.max(quantity, this.#committed.get(id) ?? 0));
  }

  async #send(id: string, method: string, headers: Record<string, string>, body?: string): Promise<Answer> {
    const committed = this.#committed.get(id) ?? 0;
    const answer = await this.#service.fetch(new Request(`http://localhost/counters/${id}`, { method, headers, body: body ?? null }));
    const text = await answer.text();
    const tag = answer.headers.get("etag") ?? "";
    if (answer.status === 304) this.#judge(id, this.#stateOf(id, headers["if-none-match"] ?? ""), committed, "304");
    if (answer.status !== 200) return this.#others(answer.status, tag, text);
    const state = JSON.parse(text) as State;
    const known = this.#stateOf(id, tag);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(state)) {
      this.faults.push(`The tag ${tag} fits ${JSON.stringify(known)} and ${text}.`);
    }
    this.#states.set(`${id} ${tag}`, text);
    this.#judge(id, state, committed, method);
    this.committed(id, state.quantity);
    return { status: 200, tag, state };
  }

  #others(status: number, tag: string, text: string): Answer {
    if (status !== 304 && status !== 412) this.faults.push(`The status ${status}: ${text}`);
    return { status, tag, state: undefined };
  }

  #stateOf(id: string, tag: string): State | undefined {
    const text = this.#states.get(`${id} ${tag}`);
    return text === undefined ? undefined : (JSON.parse(text) as State);
  }

  #judge(id: string, state: State | undefined, committed: number, what: string): void {
    if (state !== undefined && state.quantity < committed)
      this.faults.push(`${what} of ${id} shows ${state.quantity} after ${committed} was committed.`);
  }
}

/** All writers send a write of each key with the same tag. @returns for each key how many were answered 200 */
export async function raceForTags(counters: Counters, keys: number, writers: number): Promise<number[]> {
  const winners: number[] = [];
  for (let key = 1; key <= keys; key++) {
    const id = `k${key}`;
    const { tag, state } = await counters.read(id);
    const next = (writer: number) => (state?.quantity ?? 0) + 1 + writer;
    const answers = await Promise.all(Array.from({ length: writers }, (_, writer) => counters.write(id, next(writer), tag)));
    winners.push(answers.filter(({ status }) => status === 200).length);
  }
  return winners;
}

/** Writers and another program count up the same rows. @returns by key how often the writers did */
export async function countTogether(
  counters: Counters,
  pool: pg.Pool,
  kind: VersionKind,
  { keys, writers, writes }: { readonly keys: number; readonly writers: number; readonly writes: number },
): Promise<Map<string, number>> {
  const counted = new Map<string, number>();
  let isOver = false;
  const foreign = async () => {
    while (!isOver) {
      const id = anyKey(keys);
      const { rows } = await pool.query(`${foreignWrite(kind)}$1 returning quantity`, [id]);
      counters.committed(id, Number(rows[0].quantity));
    }
  };
  const writer = async () => {
    for (let write = 0; write < writes; write++) {
      const id = anyKey(keys);
      const { tag, state } = await counters.read(id);
      const answer = await counters.write(id, (state?.quantity ?? 0) + 1, tag);
      if (answer.status === 200) counted.set(id, (counted.get(id) ?? 0) + 1);
      await counters.read(id, tag);
    }
  };
  const other = foreign();
  await Promise.all(Array.from({ length: writers }, writer));
  isOver = true;
  await other;
  return counted;
}

function anyKey(keys: number): string {
  return `k${1 + Math.floor(Math.random() * keys)}`;
}

/** @returns the rows whose quantity is not the sum of all writes */
export async function lostUpdates(pool: pg.Pool, before: ReadonlyMap<string, number>, counted: ReadonlyMap<string, number>): Promise<string[]> {
  const { rows } = await pool.query("select id, quantity::int as quantity, others, unmapped from counters");
  return rows.flatMap(({ id, quantity, others, unmapped }) => {
    const expected = (before.get(id) ?? 0) + (counted.get(id) ?? 0) + others;
    return quantity === expected && unmapped === "untouched" ? [] : [`${id}: ${quantity} instead of ${expected}`];
  });
}

export async function quantities(pool: pg.Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query("select id, quantity::int as quantity from counters");
  return new Map(rows.map(({ id, quantity }) => [id, quantity]));
}
