import type { Timer, Timers } from "../http/timers.js";
import { ProblemError } from "../problem/index.js";

/** What goes with a body that is made while it is read. */
export interface AnswerStreamOptions {
  readonly timers: Timers;
  /** How long the reader may take nothing, in milliseconds. */
  readonly stallMs: number;
  /** Hears of what ends the body before its end; nobody can be answered any more. */
  failed(error: unknown): void;
}

/**
 * A body whose first piece is there: what fails before can still be answered. Its end releases what the source holds, read or not, and so does a reader
 * that takes nothing for too long: a connection to a database is not for one client to keep.
 *
 * @throws what the first step of the source throws
 */
export async function answerStream<Piece>(
  source: AsyncGenerator<Piece, void, void>,
  { timers, stallMs, failed }: AnswerStreamOptions,
): Promise<AsyncIterableIterator<Piece>> {
  let first: IteratorResult<Piece, void> | undefined = await source.next();
  let watch: Timer | undefined;
  let isStalled = false;
  const rest = () => {
    watch?.cancel();
    watch = timers.setTimeout(() => {
      isStalled = true;
      source.return().catch(failed);
    }, stallMs);
  };
  const step = async (): Promise<IteratorResult<Piece, void>> => {
    watch?.cancel();
    if (isStalled) throw new ProblemError("REQUEST_TIMEOUT", `The reader took nothing for ${stallMs} ms.`);
    const result = first ?? (await source.next());
    first = undefined;
    if (result.done !== true) rest();
    return result;
  };
  rest();
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
      watch?.cancel();
      first = undefined;
      await source.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}
