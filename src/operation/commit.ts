import type { HttpResponse } from "../http/message.js";
import type { Call, Collection, InsertManyOptions, NewRow, Row, RowPatch } from "../storage/collection.js";
import { complete } from "../storage/complete.js";
import { RowTooLarge } from "../storage/errors.js";
import type { Filter } from "../storage/filter.js";
import type { CollectionModel } from "../storage/model.js";
import type { Outcome } from "../storage/outcome.js";
import { type InsertCall, RowsOver, type UpdateCall } from "../storage/rowsOver.js";
import type { Id } from "../storage/scalar.js";
import type { Storage } from "../storage/storage.js";
import { asProblem } from "./asProblem.js";
import type { Context } from "./context.js";
import type { Environment } from "./environment.js";
import { ReferencedRows } from "./references/referencedRows.js";
import { Removals } from "./references/removals.js";
import { Targets, type Values } from "./references/targets.js";
import { ListenedRows } from "./rowEvents.js";
import { retrying } from "./work/retry.js";

/**
 * Work that commits in the same transaction as a write, such as the record of an idempotency key or an event to deliver.
 *
 * @param tx the storage of the write's transaction
 */
export type Join = (tx: Storage, response: HttpResponse) => Promise<void>;

/**
 * Returns the rows of a collection to write to: those of the transaction, or those of the storage if there is no transaction. Everything that applies to
 * every write of a row is added here.
 *
 * @param upcoming the writes that follow, so that everything they need to read is read in one query
 */
export function writableRows(
  environment: Environment,
  model: CollectionModel,
  tx: Storage | undefined,
  { values = [], ids = [] }: UpcomingWrites = {},
): Required<Collection> {
  if (tx === undefined) return rowsOutside(environment.collection(model.name));
  const rows = rowsWithin(environment, model, tx, values, ids);
  return environment.version === undefined ? rows : environment.version.rows(model.name, rows);
}

function rowsWithin(
  { events, references, limits }: Environment,
  model: CollectionModel,
  tx: Storage,
  values: readonly Values[],
  ids: readonly Id[],
): Required<Collection> {
  const rowsOf = (each: CollectionModel) => {
    const rows = new SizedRows(complete(tx.collection(each), each.id));
    return events?.concerns(each.name) ? new ListenedRows(rows, each.name, tx, events) : rows;
  };
  const rows = rowsOf(model);
  const held = references.heldBy.get(model.name) ?? [];
  const isTarget = references.leadingTo.has(model.name);
  if (held.length === 0 && !isTarget) return rows;
  const removals = isTarget ? () => new Removals(model, { references, maxRows: limits.dependentRows, rowsOf }, ids) : undefined;
  return new ReferencedRows(rows, new Targets(held, tx, values, "share"), removals);
}

const outside = new WeakMap<Required<Collection>, Required<Collection>>();

function rowsOutside(rows: Required<Collection>): Required<Collection> {
  const known = outside.get(rows) ?? new SizedRows(rows);
  outside.set(rows, known);
  return known;
}

/** Reports a row that is too large for the store as a problem of the client, so that batches and imports skip it like any other invalid row. */
class SizedRows extends RowsOver {
  override insert(row: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    return this.rows.insert(row, call).catch(refuseSize);
  }

  override insertMany(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    return this.rows.insertMany(rows, call).catch(refuseSize);
  }

  override update(id: Id, patch: RowPatch, call: UpdateCall): Promise<Outcome<Row>> {
    return this.rows.update(id, patch, call).catch(refuseSize);
  }

  override updateMany(filter: Filter | undefined, patch: RowPatch, call: Call): Promise<number> {
    return this.rows.updateMany(filter, patch, call).catch(refuseSize);
  }
}

function refuseSize(error: unknown): never {
  throw error instanceof RowTooLarge ? asProblem(error) : error;
}

/** Writes that follow. */
export interface UpcomingWrites {
  /** Rows that will be inserted, and patches. */
  readonly values?: readonly Values[];
  /** Ids of rows that will be removed. */
  readonly ids?: readonly Id[];
}

/**
 * Whether writes of this kind to the collection need a transaction, because of events or foreign keys.
 *
 * @param write `save` for any write of values, `remove`, or the values themselves: values without foreign keys may need no transaction
 */
export function needsTransaction({ events, references }: Environment, { name }: CollectionModel, write: "save" | "remove" | Values): boolean {
  if (events?.concerns(name)) return true;
  if (write === "remove") return references.leadingTo.has(name);
  const held = references.heldBy.get(name) ?? [];
  return write === "save" ? held.length > 0 : held.some(({ field }) => write[field] !== undefined && write[field] !== null);
}

/** The outcome of a write, with its answer. Without an answer nothing was written. */
export interface Written {
  readonly response?: HttpResponse | undefined;
}

/**
 * The only place where operations commit. If the request has joins, the write and the joins run in one transaction, which is retried after a conflict with
 * another transaction. Otherwise the write runs alone; the contract of the store makes it atomic.
 *
 * @param write receives the transaction, or `undefined` if the write runs alone; may be called more than once
 * @param options.needsTransaction the write needs a transaction even without joins
 * @param options.isBrief the write waits for nothing but the storage, so that others may share its commit
 * @throws what the write or a join throws; nothing is committed then
 */
export function commit<W extends Written>(
  { environment, joins }: Pick<Context, "environment" | "joins">,
  write: (tx: Storage | undefined) => Promise<W>,
  { needsTransaction = false, isBrief }: { readonly needsTransaction?: boolean; readonly isBrief?: boolean } = {},
): Promise<W> {
  if (joins.length === 0 && !needsTransaction) return write(undefined);
  return retrying(
    () =>
      environment.transaction(
        async (tx) => {
          const written = await write(tx);
          if (written.response !== undefined) for (const join of joins) await join(tx, written.response);
          return written;
        },
        { isBrief },
      ),
    environment,
  );
}

/** A write of one row. */
export interface PlannedWrite {
  /** The members that it sets; `undefined` if it removes the row. */
  readonly values: Values | undefined;
  /** Writes to the given rows. */
  run(rows: Required<Collection>): Promise<Outcome<Row>>;
}

/** A write, and its answer if it succeeded. */
export interface Committed extends Written {
  readonly outcome: Outcome<Row>;
}

/**
 * Commits a write of one row.
 *
 * @param answer builds the answer from the written row
 */
export function commitWrite(
  context: Context,
  model: CollectionModel,
  { values, run }: PlannedWrite,
  answer: (row: Row) => HttpResponse,
): Promise<Committed> {
  const { environment } = context;
  const write = async (tx: Storage | undefined): Promise<Committed> => {
    const outcome = await run(writableRows(environment, model, tx));
    return outcome.ok ? { outcome, response: answer(outcome.row) } : { outcome };
  };
  return commit(context, write, { needsTransaction: needsTransaction(environment, model, values ?? "remove"), isBrief: true });
}
