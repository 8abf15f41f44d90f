import type { Row } from "../../../../src/ground/storage/collection.js";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { Id } from "../../../../src/ground/storage/values/scalar.js";
import type { SqlRow } from "../engine/executor.js";
import { type Gatherer, Gathering } from "../engine/gathering.js";
import { run, type Session } from "../engine/session.js";
import type { Table } from "../schema/table.js";
import { type ReadBounds, ReadWatch } from "./readBounds.js";
import { getOne, selectByIds } from "./select.js";

/** The most ids of one statement, while nothing is known of the rows of its table, too; and the most bytes that its rows have by the mean of those before. */
const [maxIds, maxUnknown, maxBytes] = [64, 8, 1_000_000];

/** A get that waits to be sent. */
interface Ask {
  readonly id: Id;
  /** Settles it with its row. */
  readonly answer: (row: Row | undefined) => void;
  readonly refuse: (error: unknown) => void;
  /** What it was sent with. */
  sent?: Sent;
  hasLeft?: boolean;
}

/**
 * Gets of one table and tenant: one that finds no other under way is sent at once. The others wait for the end of the turn, or of a statement, and then go together: a statement for 16 rows
 * costs little more than one for a single row.
 *
 * A get joins only what is not sent yet, so it sees all that was committed before it.
 */
export class GatheredGets {
  readonly #session: Session;
  readonly #tables = new WeakMap<Table, TableGets>();

  /** @param session outside of transactions */
  constructor(session: Session) {
    this.#session = session;
  }

  /** The row of an id that its column can contain. @throws {QueryTimeout} @throws the reason of the signal */
  get(table: Table, id: Id, tenant: string, bounds: ReadBounds): Promise<Row | undefined> {
    let gets = this.#tables.get(table);
    if (gets === undefined) {
      gets = { table, session: this.#session, tenants: new Map(), meanBytes: undefined };
      this.#tables.set(table, gets);
    }
    let ofTenant = gets.tenants.get(tenant);
    if (ofTenant === undefined) {
      ofTenant = new TenantGets(gets, tenant);
      gets.tenants.set(tenant, ofTenant);
    }
    return ofTenant.get(id, bounds);
  }
}

/** What the gets of a table have in common. */
interface TableGets {
  readonly table: Table;
  readonly session: Session;
  /** Those whose gets wait or are under way. */
  readonly tenants: Map<string, TenantGets>;
  /** Of a row, by the statements before. */
  meanBytes: number | undefined;
}

/** The gets of one table and tenant. */
class TenantGets implements Gatherer<Ask> {
  readonly #of: TableGets;
  readonly #tenant: string;
  readonly #gathering = new Gathering<Ask>(this);

  constructor(gets: TableGets, tenant: string) {
    this.#of = gets;
    this.#tenant = tenant;
  }

  get(id: Id, bounds: ReadBounds): Promise<Row | undefined> {
    return this.#gathering.isIdle ? this.#gathering.alone(() => this.#getAlone(id, bounds)) : this.#wait(id, bounds);
  }

  async #wait(id: Id, bounds: ReadBounds): Promise<Row | undefined> {
    const watch = new ReadWatch(bounds);
    let ask: Ask | undefined;
    const answered = new Promise<Row | undefined>((answer, refuse) => {
      ask = { id, answer, refuse };
      this.#gathering.join(ask);
    });
    try {
      return await watch.race(answered);
    } catch (error) {
      if (ask !== undefined && watch.hasEnded) leave(ask);
      throw error;
    } finally {
      watch.stop();
    }
  }

  #getAlone(id: Id, bounds?: ReadBounds): Promise<Row | undefined> {
    return getOne(this.#of.session, this.#of.table, id, this.#tenant, bounds);
  }

  end(): void {
    this.#of.tenants.delete(this.#tenant);
  }

  take(waiting: readonly Ask[]) {
    const asks = waiting.filter(({ hasLeft }) => hasLeft !== true);
    const count = mostIds(this.#of.meanBytes);
    return { taken: asks.slice(0, count), left: asks.slice(count) };
  }

  async send(asks: readonly Ask[]): Promise<void> {
    if (asks.length === 0) return;
    const sent = new Sent(asks);
    try {
      if (asks.length === 1) return await this.#askAlone(asks, sent);
      const ids = [...new Set(asks.map(({ id }) => id))];
      const gets = this.#of;
      const { rows, bytes = 0 } = await run(gets.session, selectByIds(gets.table, ids, this.#tenant), sent);
      if (rows.length > 0) gets.meanBytes = ((gets.meanBytes ?? bytes / rows.length) + bytes / rows.length) / 2;
      this.#deliver(asks, rows);
    } catch (error) {
      // An error that one row causes must not fail the other gets.
      if (error instanceof Unavailable || sent.isLeft) for (const { refuse } of asks) refuse(error);
      else await this.#askAlone(asks, sent);
    }
  }

  async #askAlone(asks: readonly Ask[], bounds: ReadBounds): Promise<void> {
    await Promise.all(asks.map(({ id, answer, refuse }) => this.#getAlone(id, bounds).then(answer, refuse)));
  }

  /** Each gets a row of its own: what a rule of the developer does to the values of one is not seen by another. */
  #deliver(asks: readonly Ask[], rows: readonly SqlRow[]): void {
    const { id, decodeRow } = this.#of.table;
    const stored = new Map(rows.map((row) => [String(id.decode(row[id.name])), row]));
    const taken = new Set<string>();
    for (const { id, answer, refuse } of asks) {
      const key = String(id);
      const row = stored.get(key);
      try {
        answer(row && decodeRow(taken.has(key) ? structuredClone(row) : row));
      } catch (error) {
        refuse(error);
      }
      taken.add(key);
    }
  }
}

function mostIds(meanBytes: number | undefined): number {
  return meanBytes === undefined ? maxUnknown : Math.min(maxIds, Math.max(1, Math.floor(maxBytes / Math.max(1, meanBytes))));
}

/** The bounds of a statement for several gets. It is cancelled when all of them have ended. */
class Sent implements ReadBounds {
  #left: number;
  #controller: AbortController | undefined;

  constructor(asks: readonly Ask[]) {
    this.#left = asks.length;
    for (const ask of asks) ask.sent = this;
  }

  get isLeft(): boolean {
    return this.#left === 0;
  }

  /** Made when it is first read, which most statements do not live to see. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isLeft) this.#controller.abort();
    return this.#controller.signal;
  }

  leave(): void {
    this.#left -= 1;
    if (this.isLeft) this.#controller?.abort();
  }
}

function leave(ask: Ask): void {
  ask.hasLeft = true;
  ask.sent?.leave();
}
