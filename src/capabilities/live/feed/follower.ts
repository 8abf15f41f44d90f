import { asProblem } from "../../../engine/operation/faults/asProblem.js";
import type { ProblemError } from "../../../ground/problem/index.js";
import type { LiveChange } from "../change.js";
import type { RowReader } from "../rows/rowReader.js";
import type { RowDelta } from "./deltas.js";
import type { Feed, FeedPage, FeedReader } from "./feed.js";

/** What a follower tells. */
export interface FollowerSink {
  /** All changes from here on will be told. */
  ready(position: string): void;
  /** What was told may be out of date; `ready` follows. */
  reset(): void;
  /** @param position after the changes */
  changes(changes: readonly LiveChange[], position: string): void;
  /** Nothing more will be told. @param problem why, if not by its own wish */
  end(problem?: ProblemError): void;
}

/** The most rows that wait for a follower: one that falls behind further begins anew. */
const maxWaiting = 10_000;

/** Follows a collection for one reader: first what happened since a position, then what happens. */
export class Follower implements FeedReader {
  readonly #feed: Feed;
  readonly #reader: RowReader;
  readonly #sink: FollowerSink;
  #pages: FeedPage[] = [];
  #waiting = 0;
  #position: string | undefined;
  /** Where it goes on after changes that it has missed. */
  #lostAt: string | undefined;
  #isStarted = false;
  #isWorking = false;
  #isEnded = false;
  /** What it told last of rows while it caught up, and when that was: pages whose rows were read before have it again, or what was before it. */
  #caughtUp: { readonly told: Map<string, string>; readonly mark: number } | undefined;

  constructor(feed: Feed, reader: RowReader, sink: FollowerSink) {
    this.#feed = feed;
    this.#reader = reader;
    this.#sink = sink;
  }

  /** The position after what it has told; `undefined` before the first one is known. */
  get position(): string | undefined {
    return this.#position;
  }

  get tenant(): string | undefined {
    return this.#reader.tenant;
  }

  /** @param after goes on there, or begins anew if the position is too old; without one it begins now */
  async start(after?: string): Promise<void> {
    try {
      const joined = await this.#feed.join(this);
      if (after === undefined) this.#begin(joined);
      else await this.#catchUp(after, joined);
      this.#isStarted = true;
      void this.#work();
    } catch (error) {
      this.end(error);
      throw error;
    }
  }

  receive(page: FeedPage): void {
    this.#waiting += page.deltas.length;
    if (this.#waiting > maxWaiting) {
      this.lose(page.position);
      return;
    }
    this.#pages.push(page);
    void this.#work();
  }

  lose(position: string): void {
    this.#pages = [];
    this.#waiting = 0;
    this.#lostAt = position;
    void this.#work();
  }

  /** Asks for the rights again, if it is time. */
  check(): void {
    if (this.#isStarted && this.#position !== undefined && this.#pages.length === 0) this.receive({ deltas: [], position: this.#position, mark: 0 });
  }

  end(error?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#pages = [];
    this.#feed.leave(this);
    this.#sink.end(error === undefined ? undefined : asProblem(error));
  }

  #begin(position: string): void {
    this.#position = position;
    this.#sink.ready(position);
  }

  async #catchUp(after: string, joined: string): Promise<void> {
    const told = new Map<string, string>();
    for (let position = after; !this.#isEnded; ) {
      const page = await this.#feed.read(position, this.tenant);
      if (page === undefined) {
        this.#sink.reset();
        this.#begin(joined);
        return;
      }
      const changes = await this.#reader.judge(page.deltas);
      for (const change of changes) told.set(String(change.id), textOfChange(change));
      this.#sink.changes(changes, page.position);
      this.#position = page.position;
      position = page.position;
      if (page.hasMore) continue;
      this.#caughtUp = { told, mark: this.#feed.mark() };
      return;
    }
  }

  /** Works through the pages, one after the other. */
  async #work(): Promise<void> {
    if (this.#isWorking || !this.#isStarted) return;
    this.#isWorking = true;
    try {
      while (!this.#isEnded && (await this.#next()));
    } catch (error) {
      this.end(error);
    } finally {
      this.#isWorking = false;
    }
  }

  /** @returns whether there may be another page */
  async #next(): Promise<boolean> {
    const lostAt = this.#lostAt;
    this.#lostAt = undefined;
    const page = lostAt === undefined ? this.#pages.shift() : undefined;
    if (page === undefined && lostAt === undefined) return false;
    this.#waiting -= page?.deltas.length ?? 0;
    const position = lostAt ?? page?.position ?? "";
    const hasOtherRights = await this.#reader.renew();
    // The list that the client reads next has the changes of the page.
    if (lostAt !== undefined || hasOtherRights) {
      this.#sink.reset();
      this.#begin(position);
      return true;
    }
    const changes = await this.#judge(page?.deltas ?? [], page?.mark ?? 0);
    if (this.#isEnded) return false;
    this.#position = position;
    this.#sink.changes(changes, position);
    return true;
  }

  /** Rows that were read before it had caught up may be older than what it has told since: they are read again. */
  async #judge(deltas: readonly RowDelta[], mark: number): Promise<readonly LiveChange[]> {
    if (mark > (this.#caughtUp?.mark ?? 0)) this.#caughtUp = undefined;
    if (this.#caughtUp === undefined) return this.#reader.judge(deltas);
    const { told } = this.#caughtUp;
    const changes = await this.#reader.judge(await this.#feed.renew(deltas, this.tenant));
    const others = changes.filter((change) => told.get(String(change.id)) !== textOfChange(change));
    for (const change of others) told.set(String(change.id), textOfChange(change));
    if (deltas.length > 0) this.#caughtUp = { told, mark: this.#feed.mark() };
    return others;
  }
}

function textOfChange(change: LiveChange): string {
  return `${change.kind} ${"version" in change ? change.version : ""}`;
}
