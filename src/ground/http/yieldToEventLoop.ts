import { setImmediate } from "node:timers";

/** How long synchronous work may block the event loop without a yield, in milliseconds. */
const turnMs = 10;

/** When the work of this turn of the event loop began; `undefined` until it is first needed. */
let startedAt: number | undefined;
const waiting: (() => void)[] = [];
let isScheduled = false;

/**
 * Whether the work in this turn of the event loop has taken its 10 ms. All requests share one clock, because many short steps of many
 * requests block the loop as one long step does.
 */
export function turnIsOver(): boolean {
  if (startedAt !== undefined) return performance.now() - startedAt >= turnMs;
  startedAt = performance.now();
  scheduleTurn();
  return false;
}

/** Whether work has yielded and has not gone on yet. */
export function hasYielded(): boolean {
  return waiting.length > 0;
}

/**
 * Yields to the event loop if the turn has taken its 10 ms; otherwise continues at once. One waiting caller continues per turn, in the order in which
 * they arrived.
 *
 * @throws the reason of the signal if it is aborted by then
 */
export async function yieldToEventLoop(signal?: AbortSignal): Promise<void> {
  if (turnIsOver()) {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      scheduleTurn();
    });
  }
  signal?.throwIfAborted();
}

/** Maps items one after the other and yields to the event loop by time. It waits for promises only. */
export async function mapInTurns<Item, R>(items: readonly Item[], map: (item: Item, offset: number) => R | Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let offset = 0; offset < items.length; offset++) {
    const result = map(items[offset] as Item, offset);
    results.push(result instanceof Promise ? await result : result);
    if (turnIsOver()) await yieldToEventLoop();
  }
  return results;
}

function scheduleTurn(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(beginTurn);
}

function beginTurn(): void {
  isScheduled = false;
  startedAt = undefined;
  waiting.shift()?.();
  if (waiting.length > 0) scheduleTurn();
}
