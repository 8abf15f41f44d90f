import type { UnreadLimit } from "./message.js";
import { backgroundTimer } from "./timers.js";

/** So a stall is seen a sixteenth of the limit late at most. */
const looksPerStall = 16;

/**
 * Watches what a client takes of its answer. It looks sixteen times per limit instead of arming a timer for each piece. It counts looks, not time: a process that was
 * suspended has given its clients no chance to read.
 *
 * @param taken how much the client has taken, in any unit; `undefined` while nothing waits for it
 * @param stalled called once, after `stallMs` in which something waited and nothing was taken
 * @returns ends the watch
 */
export function watchStall(
  { stallMs, timers }: Pick<UnreadLimit, "stallMs" | "timers">,
  taken: () => number | undefined,
  stalled: () => void,
): () => void {
  let quietLooks = 0;
  let last: number | undefined;
  let isOver = false;
  const arm = () => backgroundTimer(timers, look, Math.ceil(stallMs / looksPerStall));
  const look = () => {
    const now = taken();
    if (isOver) return;
    quietLooks = now !== undefined && now === last ? quietLooks + 1 : 0;
    last = now;
    if (quietLooks < looksPerStall) timer = arm();
    else stalled();
  };
  let timer = arm();
  return () => {
    isOver = true;
    timer.cancel();
  };
}
