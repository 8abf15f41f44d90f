import { type Context, writeCall } from "../../../../engine/operation/context.js";
import { reportFault } from "../../../../engine/operation/faults/reportFault.js";
import { savepoint } from "../../../../engine/operation/transaction/savepoint.js";
import { isHookFault } from "../../../../engine/operation/write/hookFaults.js";
import { needsTransaction, writableRows } from "../../../../engine/operation/write/writableRows.js";
import { withItem } from "../../../../engine/operation/write/writeMarks.js";
import type { Resource } from "../../../../engine/resource/resource.js";
import { duplicate, refusal } from "../../../../engine/resource/write/conflict.js";
import { isRefusal, ProblemError } from "../../../../ground/problem/index.js";
import type { Row } from "../../../../ground/storage/collection.js";
import { Retryable, Unavailable } from "../../../../ground/storage/errors.js";
import type { Outcome } from "../../../../ground/storage/outcome.js";
import type { Storage } from "../../../../ground/storage/storage.js";
import type { RowFault } from "../../rows.js";
import { faultsOf } from "./rowResult.js";

/** A row to insert. The operation id makes a storage without transactions insert it only once. */
export interface NewRow {
  /** Its number in the file. */
  readonly number: number;
  readonly values: Row;
  readonly operationId: string | undefined;
}

/** The result of a new row. */
export type Inserted =
  | Extract<Outcome<Row>, { readonly ok: true }>
  | { readonly ok: false; readonly faults: readonly RowFault[]; readonly key: readonly string[] };

/** Options of `insertRows`. */
export interface InsertOptions {
  readonly tx: Storage | undefined;
  /** Whether to return the rows as stored, with the ids that the store generated. */
  readonly wantsRows: boolean;
}

/** After so many splits the remaining rows are inserted one by one. */
const maxSplits = 64;

/**
 * Inserts rows with as few statements as possible. If the store refuses a statement (by a constraint of its own), the rows are split in halves until only the
 * refused rows are left out.
 */
export async function insertRows(
  resource: Resource,
  context: Context,
  rows: readonly NewRow[],
  { tx, wantsRows }: InsertOptions,
): Promise<readonly Inserted[]> {
  if (rows.length === 0) return [];
  const budget = { splits: 0 };
  // A single `insertMany` is atomic. Several calls, or a write with events, need a savepoint.
  const isOneCall = !needsTransaction(context, resource.model, "save") && tx?.collection(resource.model).insertMany !== undefined;
  const insert = (part: readonly NewRow[]): Promise<readonly Inserted[]> =>
    isOneCall
      ? insertPart(resource, context, part, { tx, wantsRows })
      : inSavepoint(tx, (inner) => insertPart(resource, context, part, { tx: inner, wantsRows }));
  const first = await attempt(rows, insert);
  if ("inserted" in first) return first.inserted;
  const inserted = await insertHalves(rows, insert, budget, first.error);
  // If every row fails, the cause is not in the rows.
  if (rows.length > 1 && inserted.every((each) => !each.ok && each.faults[0]?.code === "CONFLICT")) throw first.error;
  const { environment, request, requestId } = context;
  if (!(first.error instanceof ProblemError)) {
    reportFault(
      environment,
      new ProblemError("CONFLICT", "The store refused rows of an import.", { cause: first.error }),
      first.error,
      request,
      requestId,
    );
  }
  return inserted;
}

type Insert = (rows: readonly NewRow[]) => Promise<readonly Inserted[]>;

async function attempt(rows: readonly NewRow[], insert: Insert): Promise<{ readonly inserted: readonly Inserted[] } | { readonly error: unknown }> {
  try {
    return { inserted: await insert(rows) };
  } catch (error) {
    if (error instanceof Retryable || error instanceof Unavailable || isHookFault(error)) throw error;
    return { error };
  }
}

async function insertHalves(rows: readonly NewRow[], insert: Insert, budget: { splits: number }, error: unknown): Promise<readonly Inserted[]> {
  if (rows.length === 1) return [refused(error)];
  budget.splits += 1;
  const size = budget.splits > maxSplits ? 1 : Math.ceil(rows.length / 2);
  const inserted: Inserted[] = [];
  for (let start = 0; start < rows.length; start += size) {
    const part = rows.slice(start, start + size);
    const tried = await attempt(part, insert);
    inserted.push(...("inserted" in tried ? tried.inserted : await insertHalves(part, insert, budget, tried.error)));
  }
  return inserted;
}

function refused(error: unknown): Inserted {
  if (isRefusal(error)) return { ok: false, faults: faultsOf(error), key: [] };
  return { ok: false, faults: [{ code: "CONFLICT", detail: "A constraint of the store refused the row." }], key: [] };
}

/** Runs in a savepoint, so that a failed statement does not abort the whole transaction. */
function inSavepoint<R>(tx: Storage | undefined, run: (tx: Storage | undefined) => Promise<R>): Promise<R> {
  return tx?.transaction === undefined ? run(tx) : savepoint(tx, run);
}

async function insertPart(
  resource: Resource,
  context: Context,
  rows: readonly NewRow[],
  { tx, wantsRows }: InsertOptions,
): Promise<readonly Inserted[]> {
  const hasIds = rows.some(({ operationId }) => operationId !== undefined);
  const outcomes = await writableRows(context, resource.model, tx).insertMany(
    rows.map(({ number, values }) => withItem(context.environment, resource.name, values, number)),
    {
      ...writeCall(context),
      ...(hasIds ? { operationIds: rows.map(({ operationId }) => operationId ?? "") } : {}),
      returning: wantsRows ? "row" : "none",
    },
  );
  return rows.map((_, index) => {
    const outcome = outcomes[index];
    if (outcome?.ok) return outcome;
    const key = outcome?.why === "conflict" ? outcome.fields : outcome === undefined ? resource.idNames : [];
    return { ok: false, faults: faultsOf((outcome && refusal(outcome)) ?? duplicate(key)), key };
  });
}
