import type { Logger } from "../../../engine/operation/logging/logger.js";
import type { WorkerWakeups } from "../../../engine/operation/work/workerWakeups.js";
import { RecentlyUsed } from "../../../ground/http/recentlyUsed.js";
import { backgroundTimer, type Timer, type Timers } from "../../../ground/http/timers.js";
import type { ChangeLog, ChangePage, KeptChanges } from "../../../ground/storage/changes.js";
import type { Collection } from "../../../ground/storage/collection.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import { deltasOf, type RowDelta, renewed } from "./deltas.js";

/** Changes of one tenant, after which a reader stands at `position`. */
export interface FeedPage {
  readonly deltas: readonly RowDelta[];
  readonly position: string;
  /** Its number among all pages and other marks of the feed, which it got before its rows were read. */
  readonly mark: number;
}

/** One that follows a collection. Its methods never throw. */
export interface FeedReader {
  readonly tenant: string | undefined;
  /** Changes of its tenant, or none. */
  receive(page: FeedPage): void;
  /** Changes were missed; it goes on at the position. */
  lose(position: string): void;
}

/** What a feed reads. */
export interface FeedParts {
  readonly model: CollectionModel;
  rows(): Required<Collection>;
  readonly log: ChangeLog;
  readonly kept: KeptChanges;
  readonly wakeups: WorkerWakeups;
  readonly timers: Timers;
  readonly logger: Logger;
}

/** Changes of so many milliseconds are read together. */
const gatherMs = 20;
/** How often the log is read if nothing is heard of other processes, in milliseconds. */
const pollMs = 1_000;
/** The longest pause after a failed read, in milliseconds. */
const longestPauseMs = 10_000;
/** How long after a change old ones are dropped, in milliseconds. */
const pruneMs = 30_000;
const pageSize = 500;
/** How many rows are remembered. */
const maxTold = 2_000;

/** Reads the log of one collection for all of its readers in this process, as long as there are any. */
export class Feed {
  readonly #parts: FeedParts;
  readonly #readers = new Set<FeedReader>();
  /** The position of all readers; `undefined` while there are none. */
  #position: Promise<string> | undefined;
  #reading: Promise<void> | undefined;
  #isBehind = false;
  #timer: Timer | undefined;
  #gathering: Timer | undefined;
  #pruning: Timer | undefined;
  #stopListening: (() => void) | undefined;
  #failures = 0;
  #marks = 0;
  /** The version of each row that was delivered last, by tenant and id. */
  #told = new RecentlyUsed<string>(maxTold);
  #isClosed = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  get topic(): string {
    return `live:${this.#parts.model.name}`;
  }

  /** Adds a reader. @returns the position from which on it receives all changes */
  async join(reader: FeedReader): Promise<string> {
    this.#readers.add(reader);
    this.#position ??= this.#begin();
    try {
      return await this.#position;
    } catch (error) {
      this.leave(reader);
      throw error;
    }
  }

  leave(reader: FeedReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0) this.#end();
  }

  /** Reads changes for one reader. @returns `undefined` if the position is unknown, or too old */
  async read(after: string, tenant: string | undefined, limit = pageSize): Promise<(FeedPage & Pick<ChangePage, "hasMore">) | undefined> {
    const { log, model } = this.#parts;
    const page = await log.read(model, after, limit);
    if (page === undefined) return undefined;
    const mark = this.mark();
    return { deltas: await this.#deltas(page, tenant), position: page.position, hasMore: page.hasMore, mark };
  }

  /** A number above those of all pages whose rows are read already, or are being read. */
  mark(): number {
    this.#marks += 1;
    return this.#marks;
  }

  /** The changes with the rows as they are now. */
  renew(deltas: readonly RowDelta[], tenant: string | undefined): Promise<readonly RowDelta[]> {
    return renewed(deltas, { model: this.#parts.model, rows: this.#parts.rows(), tenant });
  }

  head(): Promise<string> {
    return this.#parts.log.head(this.#parts.model);
  }

  /** This process has committed changes. */
  noteChange(): void {
    if (this.#isClosed) return;
    this.#parts.wakeups.send([this.topic]);
    this.#pruneLater();
    this.look();
  }

  /** Reads the log soon. */
  look(): void {
    if (this.#readers.size === 0 || this.#isClosed) return;
    this.#gathering ??= this.#parts.timers.setTimeout(() => {
      this.#gathering = undefined;
      this.#readNow();
    }, gatherMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#readers.clear();
    this.#end();
    this.#pruning?.cancel();
  }

  async #begin(): Promise<string> {
    const { wakeups } = this.#parts;
    this.#stopListening ??= wakeups.on([this.topic], () => this.look());
    const position = await this.head();
    this.#readLater();
    return position;
  }

  #end(): void {
    this.#position = undefined;
    this.#told = new RecentlyUsed(maxTold);
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#timer?.cancel();
    this.#gathering?.cancel();
    this.#gathering = undefined;
    this.#failures = 0;
  }

  #readLater(): void {
    this.#timer?.cancel();
    if (this.#readers.size === 0 || this.#isClosed) return;
    const usual = this.#parts.wakeups.pollMs(undefined, pollMs);
    const ms = this.#failures === 0 ? usual : Math.min(longestPauseMs, pollMs * 2 ** (this.#failures - 1));
    this.#timer = backgroundTimer(this.#parts.timers, () => this.#readNow(), ms);
  }

  #readNow(): void {
    if (this.#reading !== undefined) {
      this.#isBehind = true;
      return;
    }
    this.#timer?.cancel();
    this.#isBehind = false;
    this.#reading = this.#readAll().finally(() => {
      this.#reading = undefined;
      if (this.#isBehind) this.#readNow();
      else this.#readLater();
    });
  }

  /** Never rejects: an outage of the database is logged, and the readers wait. */
  async #readAll(): Promise<void> {
    const { logger, model } = this.#parts;
    try {
      while (this.#position !== undefined && (await this.#readPage(this.#position)));
      if (this.#failures > 0) logger.info({ collection: model.name }, "The changes of a collection are read again.");
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0)
        logger.error({ err: error, collection: model.name }, "The changes of a collection cannot be read; live streams wait.");
      this.#failures += 1;
    }
  }

  /** @returns whether there is more to read at once */
  async #readPage(after: Promise<string>): Promise<boolean> {
    const { log, model } = this.#parts;
    const page = await log.read(model, await after, pageSize);
    if (page === undefined) return this.#lose(after, await this.head());
    const mark = this.mark();
    const deltas = new Map<string | undefined, readonly RowDelta[]>();
    // Those too that have joined meanwhile stand before the page. After the last of them nothing may be waited for until all have it.
    for (;;) {
      const reader = [...this.#readers].find(({ tenant }) => !deltas.has(tenant));
      if (reader === undefined) break;
      deltas.set(reader.tenant, await this.#deltas(page, reader.tenant));
    }
    // All readers have left, and others may have begun elsewhere.
    if (this.#position !== after) return this.#position !== undefined;
    const { position, changes, hasMore } = page;
    this.#position = Promise.resolve(position);
    for (const [tenant, all] of deltas) {
      const told = all.map((delta) => this.#noteTold(tenant, delta));
      deltas.set(tenant, told);
    }
    for (const reader of this.#readers) reader.receive({ deltas: deltas.get(reader.tenant) ?? [], position, mark });
    if (changes.length > 0) this.#pruneLater();
    return hasMore;
  }

  /** Changes after a position are not kept any more: all readers go on at another one. */
  #lose(after: Promise<string>, position: string): boolean {
    if (this.#position === after) {
      this.#position = Promise.resolve(position);
      for (const reader of this.#readers) reader.lose(position);
    }
    return false;
  }

  /** A row may be later than its page, and then comes once more with the page of that change. */
  #noteTold(tenant: string | undefined, delta: RowDelta): RowDelta {
    const { id, after } = delta;
    const key = JSON.stringify([tenant, String(id)]);
    const isKnown = after !== undefined && this.#told.get(key) === String(after._version);
    if (after !== undefined && !isKnown) this.#told.set(key, String(after._version));
    return { ...delta, isKnown };
  }

  async #deltas({ changes }: ChangePage, tenant: string | undefined): Promise<readonly RowDelta[]> {
    const { model } = this.#parts;
    const rows = this.#parts.rows();
    const own = changes.filter((change) => change.tenant === tenant);
    return own.length === 0 ? [] : deltasOf(own, { model, rows, tenant });
  }

  #pruneLater(): void {
    const { log, model, kept, timers, logger } = this.#parts;
    this.#pruning ??= backgroundTimer(
      timers,
      () => {
        this.#pruning = undefined;
        log.prune(model, kept).catch((error: unknown) => {
          logger.warn({ err: error, collection: model.name }, "Old changes of a collection could not be dropped.");
          if (!this.#isClosed) this.#pruneLater();
        });
      },
      pruneMs,
    );
  }
}
