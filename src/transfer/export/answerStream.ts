import { backgroundTimer, type Timer, type Timers } from "../../http/timers.js";
import { ProblemError } from "../../problem/index.js";

/** Options of `answerStream`. */
export interface AnswerStreamOptions {
  readonly timers: Timers;
  /** The stream ends when the client reads nothing for so many milliseconds. */
  readonly stallMs: number;
  /** The stream ends when the client has not read all of it after so many milliseconds. */
  readonly maxMs: number;
  /** Called with the error that ends the body early. The status line has been sent by then, so the client gets no problem document. */
  failed(error: unknown): void;
}

/**
 * A response body whose first piece is already made, so that an error before it can still be answered as a problem. The source is released when the body
 * ends, when the client stops reading, and when the client is too slow: otherwise it would hold a database connection.
 *
 * @throws what the first step of the source throws
 */
export async function answerStream<Piece>(
  source: AsyncGenerator<Piece, void, void>,
  { timers, stallMs, maxMs, failed }: AnswerStreamOptions,
): Promise<AsyncIterableIterator<Piece>> {
  let first: IteratorResult<Piece, void> | undefined = await source.next();
  let stallTimer: Timer | undefined;
  let tooSlow: ProblemError | undefined;
  const endAfter = (ms: number, detail: string) => {
    const end = () => {
      tooSlow ??= new ProblemError("REQUEST_TIMEOUT", detail);
      source.return().catch(failed);
    };
    return backgroundTimer(timers, end, ms);
  };
  const restartStallTimer = () => {
    stallTimer?.cancel();
    stallTimer = endAfter(stallMs, `The client read nothing for ${stallMs} ms.`);
  };
  const lastTimer = endAfter(maxMs, `The client did not read the export within ${maxMs} ms.`);
  const stop = () => {
    stallTimer?.cancel();
    lastTimer.cancel();
  };
  const step = async (): Promise<IteratorResult<Piece, void>> => {
    stallTimer?.cancel();
    if (tooSlow !== undefined) throw tooSlow;
    const result = first ?? (await source.next());
    first = undefined;
    if (tooSlow !== undefined) throw tooSlow;
    if (result.done !== true) restartStallTimer();
    else stop();
    return result;
  };
  restartStallTimer();
  const stream: AsyncIterableIterator<Piece> = {
    async next() {
      try {
        return await step();
      } catch (error) {
        stop();
        failed(error);
        throw error;
      }
    },
    async return() {
      stop();
      first = undefined;
      await source.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}
