import type { CallOptions } from "../options.js";
import type { ListQuery } from "../parameters.js";
import type { Send } from "../transport/transport.js";
import { wait } from "../transport/wait.js";
import type { LiveQuery, LiveSnapshot, LiveState } from "../types/live.js";
import { LiveTable } from "./liveTable.js";
import { delayMs, mayPass, reconnectMs, rowEvents } from "./rowEvents.js";
import { sortPaths } from "./rowOrder.js";
import type { RowWalk, WalkQuery } from "./walk.js";
import type { RowEvent } from "./watch.js";

/** After the last subscription has gone, in milliseconds: pages that render again subscribe again. */
const lingerMs = 1_000;
const defaultMaxRows = 1_000;

/** What live rows need of the calls of their collection. */
export interface LiveCalls {
  readonly send: Send;
  readonly collection: string;
  readonly walk: (query: WalkQuery & CallOptions) => RowWalk;
}

/** `LiveRows` after they are loaded. */
export class LiveList {
  readonly #calls: LiveCalls;
  readonly #query: Pick<ListQuery, "where" | "fields" | "include">;
  readonly #list: ListQuery;
  readonly #options: CallOptions;
  readonly #maxRows: number;
  readonly #table: LiveTable;
  readonly #listeners = new Set<{ readonly listener: () => void }>();
  #snapshot: LiveSnapshot;
  #isTold = true;
  #isStarted = false;
  #isOpen = false;
  #ended: "failed" | "closed" | undefined;
  #error: unknown;
  #running: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param first what was shown before this was loaded */
  constructor(calls: LiveCalls, given: LiveQuery, first: LiveSnapshot) {
    const { where, sort, fields, include, perPage, id = "id", maxRows = defaultMaxRows, ...options } = given;
    const idNames = [id].flat();
    this.#calls = calls;
    this.#query = { where, include, fields: fields && withPaths(fields, sortPaths(sort, idNames)) };
    this.#list = { ...this.#query, sort, perPage };
    this.#options = options;
    this.#maxRows = maxRows;
    this.#table = new LiveTable({ collection: calls.collection, idNames, sort, maxRows }, first.rows);
    this.#snapshot = first;
  }

  get(): LiveSnapshot {
    return this.#snapshot;
  }

  subscribe(listener: () => void): () => void {
    const entry = { listener };
    this.#listeners.add(entry);
    clearTimeout(this.#timer);
    if (this.#listeners.size === 1) this.#begin();
    return () => {
      if (!this.#listeners.delete(entry) || this.#listeners.size > 0 || this.#isStarted) return;
      this.#timer = setTimeout(() => this.#stop(), lingerMs);
    };
  }

  start(): void {
    this.#isStarted = true;
    clearTimeout(this.#timer);
    this.#begin();
  }

  close(): void {
    this.#ended = "closed";
    this.#error = undefined;
    clearTimeout(this.#timer);
    this.#stop();
  }

  #begin(): void {
    if (this.#running || this.#ended === "closed") return;
    this.#ended = undefined;
    this.#error = undefined;
    this.#running = new AbortController();
    this.#publish();
    void this.#run(this.#running.signal);
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#isOpen = false;
    this.#table.await();
    this.#publish();
  }

  /** Follows the rows until it is stopped, or an error ends it. */
  async #run(stopped: AbortSignal): Promise<void> {
    const outer = this.#options.signal ?? this.#calls.send.signal;
    const signal = AbortSignal.any(outer ? [stopped, outer] : [stopped]);
    for (let failures = 1; !stopped.aborted; failures += 1) {
      try {
        await this.#follow(signal, () => {
          failures = 0;
        });
      } catch (error) {
        if (stopped.aborted) return;
        if (outer?.aborted) return this.close();
        this.#lose(error);
        if (!mayPass(error)) return this.#fail();
        await wait(delayMs(error, reconnectMs, failures), signal).catch(() => undefined);
      }
    }
  }

  #lose(error: unknown): void {
    this.#isOpen = false;
    this.#error = error;
    this.#table.await();
    this.#publish();
  }

  #fail(): void {
    this.#ended = "failed";
    this.#stop();
  }

  /** One stream, over as many connections as it takes. A list that cannot be read ends it: the next one begins with a `ready`. */
  async #follow(signal: AbortSignal, onCurrent: () => void): Promise<void> {
    const { send, collection } = this.#calls;
    const failing = new AbortController();
    const either = AbortSignal.any([signal, failing.signal]);
    let reading = new AbortController();
    const onConnection = (isOpen: boolean, error?: unknown) => {
      this.#isOpen = isOpen;
      if (!isOpen) this.#error = error;
      this.#publish();
    };
    const followed = { send, collection, operation: `${collection}.live`, query: this.#query, options: this.#options, signal: either, onConnection };
    const take = (event: RowEvent) => {
      if ("id" in event) return this.#table.apply(event);
      reading.abort();
      this.#table.await();
      if (event.kind === "reset") return;
      reading = new AbortController();
      this.#read(AbortSignal.any([either, reading.signal])).then(onCurrent, (error) => failing.abort(error));
    };
    try {
      for await (const events of rowEvents(followed)) {
        for (const event of events) take(event);
        this.#publish();
      }
    } finally {
      reading.abort();
    }
  }

  /** Reads the whole list, unless it is no longer needed by then. */
  async #read(signal: AbortSignal): Promise<void> {
    try {
      const rows = await this.#calls.walk({ ...this.#list, ...this.#options, signal }).toArray({ limit: this.#maxRows + 1 });
      signal.throwIfAborted();
      this.#table.fill(rows);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.#publish();
  }

  get #state(): LiveState {
    if (this.#ended) return this.#ended;
    if (this.#isOpen && this.#table.isCurrent) return "live";
    return this.#table.isFilled ? "reconnecting" : "loading";
  }

  /** Shows what has changed, and tells the listeners of it when the code that runs has ended. */
  #publish(): void {
    const state = this.#state;
    if (state === "live") this.#error = undefined;
    const [{ rows }, error] = [this.#table, this.#error];
    const old = this.#snapshot;
    if (rows === old.rows && state === old.state && error === old.error) return;
    this.#snapshot = Object.freeze({ rows, state, ...(error !== undefined && { error }) });
    if (!this.#isTold) return;
    this.#isTold = false;
    queueMicrotask(() => {
      this.#isTold = true;
      // One that throws does not keep the others from being told.
      for (const entry of this.#listeners) queueMicrotask(() => this.#listeners.has(entry) && entry.listener());
    });
  }
}

/** The fields that rows show, with those that the table needs. */
function withPaths(fields: readonly string[], paths: readonly string[]): string[] {
  const isShown = (path: string) => fields.some((field) => field === "*" || field === path || path.startsWith(`${field}.`));
  return [...fields, ...paths.filter((path, index) => !isShown(path) && paths.indexOf(path) === index)];
}
