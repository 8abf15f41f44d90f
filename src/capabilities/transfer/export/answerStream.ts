import { backgroundTimer, type Timers } from "../../../ground/http/timers.js";
import { ProblemError } from "../../../ground/problem/index.js";

/** Options of `answerStream`. */
export interface AnswerStreamOptions {
  readonly timers: Timers;
  /** The stream ends when the client has not read all of it after so many milliseconds. */
  readonly maxMs: number;
  /** Called with the error that ends the body early. The status line has been sent by then, so the client gets no problem document. */
  failed(error: unknown): void;
}

/**
 * A response body whose first piece is already made, so that an error before it can still be answered as a problem. The source is released when the body
 * ends, when the host stops reading it, and when its time is over, however slowly the client reads: it holds a snapshot of the database.
 *
 * @throws what the first step of the source throws
 */
export async function answerStream<Piece>(
  source: AsyncGenerator<Piece, void, void>,
  { timers, maxMs, failed }: AnswerStreamOptions,
): Promise<AsyncIterableIterator<Piece>> {
  let first: IteratorResult<Piece, void> | undefined = await source.next();
  let tooSlow: ProblemError | undefined;
  const end = () => {
    tooSlow = new ProblemError("REQUEST_TIMEOUT", `The client did not read the export within ${maxMs} ms.`);
    source.return().catch(failed);
  };
  const timer = backgroundTimer(timers, end, maxMs);
  const step = async (): Promise<IteratorResult<Piece, void>> => {
    if (tooSlow !== undefined) throw tooSlow;
    const result = first ?? (await source.next());
    first = undefined;
    if (tooSlow !== undefined) throw tooSlow;
    if (result.done === true) timer.cancel();
    return result;
  };
  const stream: AsyncIterableIterator<Piece> = {
    async next() {
      try {
        return await step();
      } catch (error) {
        timer.cancel();
        failed(error);
        throw error;
      }
    },
    async return() {
      timer.cancel();
      first = undefined;
      await source.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}
