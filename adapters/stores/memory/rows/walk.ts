import { turnIsOver, yieldToEventLoop } from "../../../../src/ground/http/yieldToEventLoop.js";
import type { Call, Row } from "../../../../src/ground/storage/collection.js";
import { QueryTimeout } from "../../../../src/ground/storage/errors.js";

/** What can end a read early. */
export type ReadBounds = Pick<Call, "signal" | "budgetMs">;

/** How long a read may run before it yields to the event loop. */
const firstSliceMs = 2;
/** How long the first slices of all reads may take in one turn of the event loop; after that, reads yield before they start. */
const turnMs = 5;
/** The clock is read once in so many rows. */
const clockCheckRows = 8;

/**
 * Visits rows until `visit` returns `false`. Few rows are visited synchronously. If there are many, the rest is copied, so that writes do not affect it, and
 * visited in slices that yield to the event loop.
 *
 * @throws {QueryTimeout} @throws the reason of the signal
 */
export function walkRows(rows: Iterable<Row>, visit: (row: Row) => boolean, bounds: ReadBounds): void | Promise<void> {
  return spentMs < turnMs
    ? walkNow(rows, visit, bounds)
    : readPause(bounds, performance.now())
        .now()
        .then(() => walkNow(rows, visit, bounds));
}

function walkNow(rows: Iterable<Row>, visit: (row: Row) => boolean, bounds: ReadBounds): void | Promise<void> {
  const startedAt = performance.now();
  const iterator = rows[Symbol.iterator]();
  let visited = 0;
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
    if (!visit(next.value)) return;
    visited += 1;
    if (visited % clockCheckRows !== 0 || performance.now() - startedAt < firstSliceMs) continue;
    const rest = restOf(iterator);
    spend(performance.now() - startedAt);
    return walkInSlices(rest, visit, readPause(bounds, startedAt));
  }
}

/** How long the first slices of reads took in this turn of the event loop. */
let spentMs = 0;

function spend(ms: number): void {
  if (spentMs === 0) {
    setImmediate(() => {
      spentMs = 0;
    });
  }
  spentMs += ms;
}

function restOf(iterator: Iterator<Row>): Row[] {
  const rest: Row[] = [];
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) rest.push(next.value);
  return rest;
}

async function walkInSlices(rows: readonly Row[], visit: (row: Row) => boolean, pause: ReadPause): Promise<void> {
  await pause.now();
  for (const [index, row] of rows.entries()) {
    if (!visit(row)) return;
    const pausing = index % clockCheckRows === 0 ? pause.ifOver() : undefined;
    if (pausing !== undefined) await pausing;
  }
}

/** Yields to the event loop in a long read. */
export interface ReadPause {
  now(): Promise<void>;
  /** `undefined` if the current slice may continue. */
  ifOver(): Promise<void> | undefined;
}

/** Pauses that check the bounds. The signal is first read here, because hosts create it on first access. */
export function readPause(bounds: ReadBounds, startedAt: number): ReadPause {
  const { budgetMs = Number.POSITIVE_INFINITY } = bounds;
  const now = async () => {
    await yieldToEventLoop(bounds.signal);
    if (performance.now() - startedAt >= budgetMs) throw new QueryTimeout(budgetMs);
  };
  return { now, ifOver: () => (turnIsOver() ? now() : undefined) };
}
