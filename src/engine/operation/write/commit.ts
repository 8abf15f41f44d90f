import type { HttpResponse } from "../../../ground/http/message.js";
import type { Collection, InsertCall, Row } from "../../../ground/storage/collection.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Outcome } from "../../../ground/storage/outcome.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { RowValues } from "../../../ground/storage/values/rowValues.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import type { Context } from "../context.js";
import type { ServiceTransactionOptions } from "../transaction/runTransaction.js";
import { ChangedInTransaction } from "./changedInTransaction.js";
import { needsTransaction, runsHooks, writableRows } from "./writableRows.js";

/**
 * Work that commits in the same transaction as a write, such as the record of an idempotency key or an event to deliver.
 *
 * @param tx the storage of the write's transaction
 */
export interface Join {
  (tx: Storage, response: HttpResponse): Promise<void>;
  /** Runs an insert that does the same work with its row, in one step of the storage; `undefined` if the storage cannot. Only for requests whose inserts do nothing else. */
  readonly insert?: RunInsert | undefined;
}

/** @param answer builds the answer from the row that is going to be stored */
export type RunInsert = <Answer>(
  rows: Required<Collection>,
  run: PlannedWrite["run"],
  answer: (row: Row, isHidden: boolean) => Answer,
) => Promise<Committed<Answer>> | undefined;

/** The outcome of a write, with its answer. Without an answer nothing was written. */
export interface Written<Answer = HttpResponse> {
  readonly response?: Answer | undefined;
}

/**
 * The only place where operations commit. If the request has joins, the write and the joins run in one transaction, which is retried after a conflict with
 * another transaction. Otherwise the write runs alone; the contract of the store makes it atomic.
 *
 * @param write receives the transaction, or `undefined` if the write runs alone; may be called more than once
 * @param options.needsTransaction the write needs a transaction even without joins
 * @param options.isBrief the write waits for nothing but the storage, so that others may share its commit
 * @param options.isolation that the rules of the write need
 * @throws what the write or a join throws; nothing is committed then
 */
export function commit<W extends Written<unknown>>(
  { environment, joins }: Pick<Context, "environment" | "joins">,
  write: (tx: Storage | undefined) => Promise<W>,
  {
    needsTransaction: needs = false,
    ...options
  }: { readonly needsTransaction?: boolean } & Pick<ServiceTransactionOptions, "isBrief" | "isolation"> = {},
): Promise<W> {
  if (joins.length === 0 && !needs) return write(undefined);
  return environment.transaction(async (tx) => {
    const written = await write(tx);
    // Only requests have joins, and a request is answered with a response.
    if (written.response !== undefined) for (const join of joins) await join(tx, written.response as HttpResponse);
    return written;
  }, options);
}

/** A write of one row. */
export interface PlannedWrite {
  /** The members that it sets; `undefined` if it removes the row. */
  readonly values: RowValues | undefined;
  /** Nothing is written, and no rule runs. */
  readonly isUnchanged?: true | undefined;
  /** Whether it inserts a row, so that the storage may end an operation together with it. */
  readonly inserts?: true | undefined;
  /** Writes to the given rows. @param ends of an insert */
  run(rows: Required<Collection>, ends?: InsertCall["ends"]): Promise<Outcome<Row>>;
}

/** A write, and its answer if it succeeded. */
export interface Committed<Answer = HttpResponse> extends Written<Answer> {
  readonly outcome: Outcome<Row>;
}

/**
 * Commits a write of one row.
 *
 * @param answer builds the answer from the written row; `isHidden` if the principal may not read it
 */
export function commitWrite<Answer>(
  context: Context,
  model: CollectionModel,
  { values, run, isUnchanged, inserts }: PlannedWrite,
  answer: (row: Row, isHidden: boolean) => Answer,
): Promise<Committed<Answer>> {
  const write = async (tx: Storage | undefined): Promise<Committed<Answer>> => {
    const outcome = await run(writableRows(context, model, tx));
    if (!outcome.ok) return { outcome };
    const response = answer(outcome.row, outcome.isHidden === true);
    if (outcome.isHidden !== true) context.shown?.add(model.name, outcome.row[model.id] as Id);
    return { outcome, response };
  };
  if (isUnchanged) return commit(context, write, { isBrief: true });
  const needs = needsTransaction(context, model, values ?? "remove");
  // A hook of the developer may wait for anything, so that the transaction is not brief.
  if (!runsHooks(context, model, values ?? "remove")) {
    // A request with a key has one join, and others have none.
    const insert = inserts && !needs ? context.joins[0]?.insert : undefined;
    return insert?.(writableRows(context, model, undefined), run, answer) ?? commit(context, write, { needsTransaction: needs, isBrief: true });
  }
  const isolation = context.environment.hooks?.isolationOf(model.name);
  return commit(context, write, { needsTransaction: needs, isolation }).catch(changedInTransaction);
}

/** The outcome of a write that was rolled back because its row had changed. */
function changedInTransaction(error: unknown): { readonly outcome: Outcome<Row> } {
  if (error instanceof ChangedInTransaction) return { outcome: error.outcome };
  throw error;
}
