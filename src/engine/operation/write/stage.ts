import type { Call, InsertManyOptions, NewRow, Row, RowPatch } from "../../../ground/storage/collection.js";
import type { RemoveCall, UpdateCall } from "../../../ground/storage/completed/rowsOver.js";
import type { Outcome } from "../../../ground/storage/outcome.js";
import type { Id } from "../../../ground/storage/values/scalar.js";

/** New rows that are written together. */
export interface Creation {
  readonly rows: readonly NewRow[];
  /** `operationIds` has one for each row; a row without one has an empty text. */
  readonly call: Call & InsertManyOptions;
}

/** New values of a row. */
export interface Update {
  readonly id: Id;
  /** The row as it is; `undefined` if no stage asked for it. */
  readonly before: Row | undefined;
  readonly patch: RowPatch;
  readonly call: UpdateCall;
}

/** The end of a row. */
export interface Removal {
  readonly id: Id;
  /** The row as it is; `undefined` if no stage asked for it, or if it does not exist. */
  readonly before: Row | undefined;
  /** It went with another row of this transaction; then its hooks have run, and its events are told. */
  readonly isGone: boolean;
  readonly call: RemoveCall;
}

/** Why a stage needs the row as it is before a write: to read it, or so that the write fails if the row has changed since. */
export type Need = "read" | "pinned" | undefined;

/**
 * A rule that holds on every write of a row. Each step may refuse the write with an outcome, change it, and pass it to the next stage; what the stage does after the write
 * follows the `await` of `next`. The order of the stages is in `writableRows.ts`.
 */
export interface WriteStage {
  /** What the step `update` needs. */
  needsForUpdate?(patch: RowPatch, call: UpdateCall): Need;
  /** What the step `remove` needs. */
  needsForRemoval?(): Need;
  /** The row as a write of this transaction left it, if the stage knows it better than the caller. */
  latest?(id: Id): Row | undefined;
  /** Whether the row went with another row of this transaction. */
  hasRemoved?(id: Id): boolean;
  /** @returns an outcome for each row, in their order */
  create?(creation: Creation, next: (creation: Creation) => Promise<Outcome<Row>[]>): Promise<Outcome<Row>[]>;
  /** For stages whose hooks need each row as the write before it has left it. */
  update?(update: Update, next: (update: Update) => Promise<Outcome<Row>>): Promise<Outcome<Row>>;
  /** For all other stages. @returns an outcome for each update, in their order */
  updateEach?(updates: readonly Update[], next: (updates: readonly Update[]) => Promise<Outcome<Row>[]>): Promise<Outcome<Row>[]>;
  remove?(removal: Removal, next: (removal: Removal) => Promise<Outcome<Row>>): Promise<Outcome<Row>>;
}

/**
 * Passes the updates that a stage does not refuse to the next one.
 *
 * @param refusals an outcome for each update that is not written, at its index
 */
export async function updateOthers(
  updates: readonly Update[],
  refusals: ReadonlyMap<number, Outcome<Row>>,
  next: (updates: readonly Update[]) => Promise<Outcome<Row>[]>,
): Promise<Outcome<Row>[]> {
  if (refusals.size === 0) return next(updates);
  const ready = updates.filter((_, index) => !refusals.has(index));
  const written = ready.length === 0 ? [] : await next(ready);
  let at = 0;
  return updates.map((_, index) => refusals.get(index) ?? (written[at++] as Outcome<Row>));
}

/**
 * Passes the rows that a stage does not refuse to the next one.
 *
 * @param refusals an outcome for each row that is not written, at its index
 * @param call changed options of the call
 */
export async function createOthers(
  { rows, call }: Creation,
  refusals: ReadonlyMap<number, Outcome<Row>>,
  next: (creation: Creation) => Promise<Outcome<Row>[]>,
): Promise<Outcome<Row>[]> {
  if (refusals.size === 0) return next({ rows, call });
  const isReady = (_: unknown, index: number) => !refusals.has(index);
  const ready = rows.filter(isReady);
  const written = ready.length === 0 ? [] : await next({ rows: ready, call: { ...call, operationIds: call.operationIds?.filter(isReady) } });
  let at = 0;
  return rows.map((_, index) => refusals.get(index) ?? (written[at++] as Outcome<Row>));
}
