import { type ApiError, UnexpectedAnswerError } from "../errors.js";
import type { CallOptions } from "../options.js";
import { encode, type ListQuery } from "../parameters.js";
import { listText } from "../query.js";
import { chunksOf } from "../transport/stream.js";
import type { Answer, Send } from "../transport/transport.js";
import { NetworkError } from "../transport/transportErrors.js";
import { wait } from "../transport/wait.js";
import { type EventBlock, eventStreamParser } from "./eventStream.js";
import type { RowEvent } from "./watch.js";

/** The service sends something every 15 seconds. */
const maxSilenceMs = 45_000;
/** How long to wait before a reconnection, until the service says it. */
export const reconnectMs = 2_000;
/** Servers and proxies commonly take requests with heads of 8 KiB. */
const maxPathBytes = 7_000;

/** Which rows are followed. */
export interface Followed {
  readonly send: Send;
  readonly collection: string;
  /** The call: `orders.watch`. */
  readonly operation: string;
  readonly query: Pick<ListQuery, "where" | "fields" | "include">;
  readonly options: CallOptions;
  /** Ends the events, which then throw its reason. */
  readonly signal: AbortSignal;
  /** The position to begin at. */
  readonly after?: string | undefined;
  /** Told when a connection is open, and with an error or without one when it has ended. */
  readonly onConnection?: ((isOpen: boolean, error?: unknown) => void) | undefined;
}

/**
 * The events of a collection, in groups that arrived together, over as many connections as it takes.
 *
 * @throws {ClientError} for an answer that another try would not change
 * @throws {TypeError} for a filter that a query string cannot say
 */
export async function* rowEvents(followed: Followed): AsyncGenerator<readonly RowEvent[]> {
  const { signal, onConnection } = followed;
  const place = new Place(followed.after);
  for (let retryMs = reconnectMs, failures = 0; ; ) {
    let error: unknown;
    signal.throwIfAborted();
    failures += 1;
    try {
      const answer = await open(followed, place.resume());
      onConnection?.(true);
      for await (const blocks of blocksOf(answer)) {
        if (blocks.some(({ id, data }) => (id ?? data) !== undefined)) failures = 0;
        retryMs = blocks.findLast((block) => block.retryMs !== undefined)?.retryMs ?? retryMs;
        const events = blocks.flatMap((block) => place.pass(block));
        if (events.length > 0) yield events;
      }
    } catch (cause) {
      signal.throwIfAborted();
      if (!mayPass(cause)) throw cause;
      error = cause;
    }
    onConnection?.(false, error);
    await wait(delayMs(error, retryMs, failures), signal);
  }
}

/** The place of a consumer in the events. */
class Place {
  #position: string | undefined;
  /** Whether the consumer has had a `ready` since the last `reset`: else it needs one, which a connection that goes on from a position does not send. */
  #isReady: boolean;

  constructor(after: string | undefined) {
    this.#position = after;
    this.#isReady = after !== undefined;
  }

  /** Begins a connection: returns the position that it goes on from, or `undefined` to begin afresh. */
  resume(): string | undefined {
    if (!this.#isReady) this.#position = undefined;
    return this.#position;
  }

  /** The event of a block, unless it has none or one of a later version of the service. */
  pass({ event, id, data }: EventBlock): RowEvent[] {
    if (id !== undefined) this.#position = id || undefined;
    if (data === undefined || !kinds.includes(event)) return [];
    if (event === "ready" || event === "reset") this.#isReady = event === "ready";
    return [{ kind: event, ...parsed(data), ...(id && { position: id }) } as RowEvent];
  }
}

const kinds: readonly string[] = ["ready", "created", "changed", "removed", "left", "reset"] satisfies RowEvent["kind"][];

function parsed(data: string): object {
  try {
    return JSON.parse(data);
  } catch {
    throw new UnexpectedAnswerError(200, `an event without JSON: ${data}`);
  }
}

/** Opens a connection. */
async function open({ send, collection, operation, query, options, signal }: Followed, position: string | undefined): Promise<Answer> {
  const text = listText(query, [], maxPathBytes);
  if (text === undefined)
    throw new TypeError(`${operation}: "where" must fit into a query string: without "and", "or", "not" and null, in at most ${maxPathBytes} bytes.`);
  const answer = await send({
    operation,
    method: "GET",
    path: `/${encode(collection)}${text}`,
    headers: { accept: "text/event-stream", "last-event-id": position },
    streams: true,
    options: { ...options, signal, maxRetries: 0 },
  });
  const type = answer.headers.get("content-type");
  if (type !== null && /^text\/event-stream\b/i.test(type)) return answer;
  answer.stream?.release();
  answer.stream?.controller.abort();
  throw new UnexpectedAnswerError(answer.status, `no stream of events, but ${type}`);
}

/** The blocks of an answer, in groups that arrived together. The time that the consumer takes is no silence of the service. */
async function* blocksOf(answer: Answer): AsyncGenerator<EventBlock[]> {
  const parse = eventStreamParser();
  const end = () => answer.stream?.controller.abort(new NetworkError(`The stream of events was silent for ${maxSilenceMs} ms.`));
  let timer = setTimeout(end, maxSilenceMs);
  try {
    for await (const chunk of chunksOf(answer)) {
      clearTimeout(timer);
      yield parse(chunk);
      timer = setTimeout(end, maxSilenceMs);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Whether another connection may succeed. */
export function mayPass(error: unknown): boolean {
  if (error instanceof NetworkError) return true;
  const { status = 0, retryAfterMs } = error as Partial<ApiError>;
  return [408, 429].includes(status) || status >= 500 || (status === 413 && retryAfterMs !== undefined);
}

/** As long as `Retry-After` says; else what the service said, doubled with each failure in a row up to 30 seconds, and up to a quarter more or less. */
export function delayMs(error: unknown, retryMs: number, failures: number): number {
  const { retryAfterMs } = (error ?? {}) as Partial<ApiError>;
  // A service that says 0 is not asked without a pause while it fails.
  const grownMs = failures === 0 ? 0 : Math.min(30_000, Math.max(retryMs, 1) * 2 ** (failures - 1));
  return retryAfterMs ?? Math.max(retryMs, grownMs) * (0.75 + Math.random() / 2);
}
