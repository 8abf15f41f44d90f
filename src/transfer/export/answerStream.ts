import { backgroundTimer, type Timer, type Timers } from "../../http/timers.js";
import { ProblemError } from "../../problem/index.js";

/** Options of `answerStream`. */
export interface AnswerStreamOptions {
  readonly timers: Timers;
  /** The stream ends when the client reads nothing for so many milliseconds. */
  readonly stallMs: number;
  /** Called with the error that ends the body early. The status line has been sent by then, so the client gets no problem document. */
  failed(error: unknown): void;
}

/**
 * A response body whose first piece is already made, so that an error before it can still be answered as a problem. The source is released when the body
 * ends, when the client stops reading, and when the client reads nothing for `stallMs`: otherwise a slow client would hold a database connection.
 *
 * @throws what the first step of the source throws
 */
export async function answerStream<Piece>(
  source: AsyncGenerator<Piece, void, void>,
  { timers, stallMs, failed }: AnswerStreamOptions,
): Promise<AsyncIterableIterator<Piece>> {
  let first: IteratorResult<Piece, void> | undefined = await source.next();
  let stallTimer: Timer | undefined;
  let isStalled = false;
  const restartStallTimer = () => {
    stallTimer?.cancel();
    const stall = () => {
      isStalled = true;
      source.return().catch(failed);
    };
    stallTimer = backgroundTimer(timers, stall, stallMs);
  };
  const step = async (): Promise<IteratorResult<Piece, void>> => {
    stallTimer?.cancel();
    if (isStalled) throw new ProblemError("REQUEST_TIMEOUT", `The client read nothing for ${stallMs} ms.`);
    const result = first ?? (await source.next());
    first = undefined;
    if (result.done !== true) restartStallTimer();
    return result;
  };
  restartStallTimer();
  const stream: AsyncIterableIterator<Piece> = {
    async next() {
      try {
        return await step();
      } catch (error) {
        failed(error);
        throw error;
      }
    },
    async return() {
      stallTimer?.cancel();
      first = undefined;
      await source.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}
