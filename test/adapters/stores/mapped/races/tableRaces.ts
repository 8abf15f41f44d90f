import { createService, defineResource, type Storage } from "restwright";
import { z } from "zod";
import type { CountersDatabase, VersionKind } from "./counterTables.js";
import type { StartProgram, Write } from "./otherPrograms.js";

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

/** What a race of writers of the service with another program left. */
export interface Counted {
  /** Writes that the service answered with 200. */
  readonly won: number;
  /** Writes of the other program. */
  readonly others: number;
  /** Rows whose acknowledged writes are not one for each quantity, or that have another column changed. */
  readonly faults: readonly string[];
}

/** Writers of the service and another program count up the same rows. Each version must have exactly one writer that it was acknowledged to. */
export async function countTogether(
  counters: Counters,
  database: CountersDatabase,
  kind: VersionKind,
  start: StartProgram,
  { keys, writers, writes }: { readonly keys: number; readonly writers: number; readonly writes: number },
): Promise<Counted> {
  const before = await quantities(database);
  const ofService: Write[] = [];
  const ofOther: Write[] = [];
  const program = start(kind, keys, (write) => {
    counters.committed(write.id, write.quantity);
    ofOther.push(write);
  });
  const writer = async () => {
    for (let write = 0; write < writes; write++) {
      const id = `k${1 + Math.floor(Math.random() * keys)}`;
      const { tag, state } = await counters.read(id);
      const answer = await counters.write(id, (state?.quantity ?? 0) + 1, tag);
      if (answer.state !== undefined) ofService.push({ id, quantity: answer.state.quantity });
      await counters.read(id, tag);
    }
  };
  await program.begun;
  let others = 0;
  try {
    await Promise.all(Array.from({ length: writers }, writer));
  } finally {
    others = await program.stop();
  }
  return { won: ofService.length, others, faults: await wrongRows(database, before, ofService, ofOther) };
}

async function wrongRows(
  { run }: CountersDatabase,
  before: ReadonlyMap<string, number>,
  ofService: readonly Write[],
  ofOther: readonly Write[],
): Promise<string[]> {
  return (await run("select id, quantity, others, unmapped from counters")).flatMap(({ id, quantity, others, unmapped }) => {
    const first = before.get(String(id)) ?? 0;
    const of = (writes: readonly Write[]) => writes.flatMap((write) => (write.id === id ? [write.quantity] : []));
    const acknowledged = [...of(ofService), ...of(ofOther)].toSorted((one, other) => one - other);
    const isSound = Number(quantity) === first + acknowledged.length && acknowledged.every((value, index) => value === first + index + 1);
    if (isSound && Number(others) === of(ofOther).length && unmapped === "untouched") return [];
    return [
      `${String(id)}: from ${first} to ${String(quantity)}, acknowledged ${acknowledged.join(" ")}; ${String(others)} by the other, "${String(unmapped)}"`,
    ];
  });
}

async function quantities({ run }: CountersDatabase): Promise<Map<string, number>> {
  return new Map((await run("select id, quantity from counters")).map(({ id, quantity }) => [String(id), Number(quantity)]));
}
