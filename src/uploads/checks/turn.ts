import { setImmediate as nextTurn } from "node:timers/promises";

/** So much is looked through at a stretch, which takes a few milliseconds; then others have their turn. */
export const bytesATurn = 1_048_576;

/** Lets others have their turn. @throws the reason of the signal, when it is aborted by then */
export async function giveWay(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}
