import type { Context } from "../../../engine/operation/context.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { eventStreamHeaders } from "../../../ground/http/serverSentEvent.js";
import { backgroundTimer, type Timer } from "../../../ground/http/timers.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { anonymous } from "../../../parts/auth/verifier.js";
import type { Feed } from "../feed/feed.js";
import { Follower } from "../feed/follower.js";
import type { MaxStreams } from "../options.js";
import type { Positions } from "../positions.js";
import type { RowReader } from "../rows/rowReader.js";
import { EventStream } from "./eventStream.js";

/** How often a stream without events shows that it is alive, in milliseconds: below the time after which proxies close a connection. */
const beatMs = 15_000;

/** What a stream shows. */
export interface Streamed {
  readonly feed: Feed;
  readonly reader: RowReader;
  readonly positions: Positions;
  /** The position of the client, as the log knows it. */
  readonly after: string | undefined;
}

/** The open streams of a service. */
export class Streams {
  readonly #max: MaxStreams;
  readonly #open = new Set<() => void>();
  readonly #byPrincipal = new Map<string, number>();

  constructor(max: MaxStreams) {
    this.#max = max;
  }

  /**
   * Answers with events.
   *
   * @throws {ProblemError} TOO_MANY_STREAMS, NO_STREAM_LEFT
   */
  answer(context: Context, streamed: Streamed): HttpResponse {
    const leave = this.#enter(context);
    const headers = eventStreamHeaders();
    if (context.request.method === "HEAD") {
      leave();
      return { status: 200, headers, body: null };
    }
    return { status: 200, headers, body: this.#begin(context, streamed, leave) };
  }

  /** Ends all streams: clients connect again, to another process. */
  close(): void {
    for (const end of this.#open) end();
  }

  #begin({ request, environment }: Context, { feed, reader, positions, after }: Streamed, leave: () => void): EventStream {
    const { timers, logger } = environment;
    let beat: Timer | undefined;
    const end = () => follower.end();
    const stream = new EventStream(() => {
      beat?.cancel();
      this.#open.delete(end);
      request.signal.removeEventListener("abort", end);
      leave();
      end();
    });
    const follower = new Follower(feed, reader, {
      ready: (at) => stream.ready(positions.write(at)),
      reset: () => stream.reset(),
      changes(changes, at) {
        if (changes.length > 0) stream.changes(changes, positions.write(at));
      },
      end(problem) {
        if (problem !== undefined && problem.status >= 500)
          logger.error({ err: problem, collection: reader.linked.name }, "A live stream has ended.");
        stream.end();
      },
    });
    const beatLater = () => {
      beat = backgroundTimer(
        timers,
        () => {
          follower.check();
          const { position } = follower;
          stream.beat(position === undefined ? undefined : positions.write(position));
          beatLater();
        },
        beatMs,
      );
    };
    this.#open.add(end);
    request.signal.addEventListener("abort", end);
    beatLater();
    if (request.signal.aborted) end();
    else follower.start(after).catch(() => {});
    return stream;
  }

  /** @returns what a stream does at its end */
  #enter({ principal, authRequest }: Context): () => void {
    const { principal: mine, process: all } = this.#max;
    const key = principal === anonymous ? `address ${authRequest.address ?? ""}` : JSON.stringify([principal.tenant, principal.id]);
    const count = this.#byPrincipal.get(key) ?? 0;
    if (count >= mine) throw tooMany("TOO_MANY_STREAMS", `You have ${mine} open streams, as many as are allowed; close one first.`, mine);
    if (this.#open.size >= all) throw tooMany("NO_STREAM_LEFT", "The server has as many open streams as it may have.", all);
    this.#byPrincipal.set(key, count + 1);
    return () => {
      const left = (this.#byPrincipal.get(key) ?? 1) - 1;
      if (left === 0) this.#byPrincipal.delete(key);
      else this.#byPrincipal.set(key, left);
    };
  }
}

function tooMany(code: "TOO_MANY_STREAMS" | "NO_STREAM_LEFT", detail: string, maximum: number): ProblemError {
  return new ProblemError(code, detail, { headers: { "retry-after": "10" }, extensions: { maximum } });
}
