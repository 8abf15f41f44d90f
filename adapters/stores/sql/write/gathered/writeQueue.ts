import type { Row } from "../../../../../src/ground/storage/collection.js";
import { Unavailable } from "../../../../../src/ground/storage/errors.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import { roomAfter } from "../../../../../src/ground/storage/queue/roomAfter.js";
import { isAnswered } from "../../engine/errors.js";
import type { SqlRow, SqlStatement } from "../../engine/executor.js";
import { type Gatherer, Gathering } from "../../engine/gathering.js";
import { run } from "../../engine/session.js";
import type { WriteGroup } from "./writeGroup.js";

/** The most rows of one statement, and the most characters that they have. */
const [maxWrites, maxCharacters] = [64, 1_000_000];
/** How long it may take to find out what a statement wrote whose connection broke, in milliseconds. */
const findMs = 2_000;

/** A write that waits for its outcome. */
interface Ask<Write, Result> {
  readonly write: Write;
  readonly answer: (result: Result) => void;
  readonly refuse: (error: unknown) => void;
}

/** What a queue tells its owner. */
export interface QueueEvents {
  /** Nothing waits or is under way any more. */
  end(): void;
  /** A statement of several writes failed, so that the next ones go alone. */
  setAside(): void;
}

/** Writes of one kind. */
export class WriteQueue<Write, Result = Outcome<Row>> implements Gatherer<Ask<Write, Result>> {
  readonly #group: WriteGroup<Write, Result>;
  readonly #events: QueueEvents;
  readonly #gathering = new Gathering<Ask<Write, Result>>(this);
  /** Of the writes that wait. */
  readonly #names = new Set<string>();

  constructor(group: WriteGroup<Write, Result>, events: QueueEvents) {
    this.#group = group;
    this.#events = events;
  }

  write(write: Write): Promise<Result> {
    if (this.#gathering.isIdle) return this.#gathering.alone(() => this.#group.alone(write));
    const name = this.#group.nameOf(write);
    // The others do not wait until each of many writes of one row had its statement.
    if (this.#names.has(name)) return this.#group.alone(write);
    this.#names.add(name);
    return new Promise((answer, refuse) => this.#gathering.join({ write, answer, refuse }));
  }

  end(): void {
    this.#events.end();
  }

  take(waiting: readonly Ask<Write, Result>[]) {
    const [taken, left]: [Ask<Write, Result>[], Ask<Write, Result>[]] = [[], []];
    let room = maxCharacters;
    for (const ask of waiting) {
      const after = taken.length === maxWrites || room <= 0 ? 0 : roomAfter(ask.write, room);
      if (after <= 0 && taken.length > 0) {
        left.push(ask);
        continue;
      }
      room = after;
      this.#names.delete(this.#group.nameOf(ask.write));
      taken.push(ask);
    }
    return { taken, left };
  }

  async send(asks: readonly Ask<Write, Result>[]): Promise<void> {
    const [first] = asks;
    if (first === undefined) return;
    if (asks.length === 1) return this.#alone(first);
    let statement: SqlStatement;
    try {
      statement = this.#group.statement(asks.map(({ write }) => write));
    } catch {
      // Of one of them: it fails alone, too.
      return this.#eachAlone(asks);
    }
    try {
      const { rows } = await run(this.#group.session, statement);
      this.#deliver(asks, rows);
    } catch (error) {
      await this.#failed(asks, error);
    }
  }

  /** Never rejects. */
  #alone({ write, answer, refuse }: Ask<Write, Result>): Promise<void> {
    return this.#group.alone(write).then(answer, refuse);
  }

  /** Not waited for: each may wait for a lock. */
  #eachAlone(asks: readonly Ask<Write, Result>[]): void {
    for (const ask of asks) void this.#alone(ask);
  }

  #deliver(asks: readonly Ask<Write, Result>[], rows: readonly SqlRow[]): void {
    const others = this.#answer(asks, rows);
    if (asks.length - others.length === rows.length) {
      this.#eachAlone(others);
      return;
    }
    const message = `A trigger of the database changed ids or versions in "${this.#group.title}", so that it is not known which rows were written.`;
    this.#events.setAside();
    for (const { refuse } of others) refuse(new Unavailable(message));
  }

  /** Answers those whose rows these are. @returns the others */
  #answer(asks: readonly Ask<Write, Result>[], rows: readonly SqlRow[]): Ask<Write, Result>[] {
    const stored = new Map(rows.map((row) => [this.#group.nameIn(row), row]));
    return asks.filter(({ write, answer, refuse }) => {
      const row = stored.get(this.#group.nameOf(write));
      if (row === undefined) return true;
      try {
        answer(this.#group.outcome(write, row));
      } catch (error) {
        refuse(error);
      }
      return false;
    });
  }

  /** What the database refused wrote nothing, so that each may go alone. After any other error nothing is sent again. */
  async #failed(asks: readonly Ask<Write, Result>[], error: unknown): Promise<void> {
    if (isAnswered(error)) {
      this.#events.setAside();
      return this.#eachAlone(asks);
    }
    const isKnown = error instanceof Unavailable && error.wroteNothing === true;
    for (const { refuse } of isKnown ? asks : await this.#findWritten(asks)) refuse(error);
  }

  /** Answers those that were written although the answer of the database was lost. @returns the others, of which it is not known */
  async #findWritten(asks: readonly Ask<Write, Result>[]): Promise<readonly Ask<Write, Result>[]> {
    const { session, lost } = this.#group;
    if (lost === undefined) return asks;
    try {
      const { rows } = await run(session, lost.find(asks.map(({ write }) => write)), { budgetMs: findMs });
      const versions = new Set(asks.map(({ write }) => lost.versionOf(write)));
      return this.#answer(
        asks,
        rows.filter((row) => versions.has(String(row["_version"]))),
      );
    } catch {
      return asks;
    }
  }
}
