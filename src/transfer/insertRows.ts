import { isHeard, writableRows } from "../operation/commit.js";
import { type Context, writeCall } from "../operation/context.js";
import { reportFault } from "../operation/reportFault.js";
import { ProblemError } from "../problem/index.js";
import { duplicate } from "../resource/conflict.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../storage/collection.js";
import { Retryable, Unavailable } from "../storage/errors.js";
import type { Outcome } from "../storage/outcome.js";
import type { Storage } from "../storage/storage.js";
import { faultsOf } from "./rowResult.js";
import type { RowFault } from "./rows.js";

/** A row to insert; where no transaction keeps it, the id makes a store take it once. */
export interface NewRow {
  readonly values: Row;
  readonly operationId: string | undefined;
}

/** What became of a new row. */
export type Inserted =
  | Extract<Outcome<Row>, { readonly ok: true }>
  | { readonly ok: false; readonly faults: readonly RowFault[]; readonly key: readonly string[] };

/** How rows are inserted. */
export interface InsertOptions {
  readonly tx: Storage | undefined;
  /** Whether the rows are wanted back as they stand, with the ids that the store gave them. */
  readonly wantsRows: boolean;
}

/** After so many halves of rows that something stands in the way of, each is tried by itself. */
const maximumSplits = 64;

/**
 * Inserts rows by as few statements as the store needs. Where a rule of the store's own refuses them all, they are halved until only those are left out that
 * it refuses.
 */
export async function insertRows(
  resource: Resource,
  context: Context,
  rows: readonly NewRow[],
  { tx, wantsRows }: InsertOptions,
): Promise<readonly Inserted[]> {
  if (rows.length === 0) return [];
  const budget = { splits: 0 };
  // One call of the store is atomic by itself; with the events of its rows, or made of many calls, it is not.
  const isOneCall = !isHeard(context.environment, resource.model) && tx?.collection(resource.model).insertMany !== undefined;
  const insert = (part: readonly NewRow[]): Promise<readonly Inserted[]> =>
    isOneCall
      ? insertPart(resource, context, part, { tx, wantsRows })
      : inSavepoint(tx, (inner) => insertPart(resource, context, part, { tx: inner, wantsRows }));
  const first = await attempt(rows, insert);
  if ("inserted" in first) return first.inserted;
  const inserted = await insertHalves(rows, insert, budget, first.error);
  // What every row runs into is no fault of the rows.
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
    if (error instanceof Retryable || error instanceof Unavailable) throw error;
    return { error };
  }
}

async function insertHalves(rows: readonly NewRow[], insert: Insert, budget: { splits: number }, error: unknown): Promise<readonly Inserted[]> {
  if (rows.length === 1) return [refused(error)];
  budget.splits += 1;
  const size = budget.splits > maximumSplits ? 1 : Math.ceil(rows.length / 2);
  const inserted: Inserted[] = [];
  for (let start = 0; start < rows.length; start += size) {
    const part = rows.slice(start, start + size);
    const tried = await attempt(part, insert);
    inserted.push(...("inserted" in tried ? tried.inserted : await insertHalves(part, insert, budget, tried.error)));
  }
  return inserted;
}

function refused(error: unknown): Inserted {
  if (error instanceof ProblemError && error.status < 500) return { ok: false, faults: faultsOf(error), key: [] };
  return { ok: false, faults: [{ code: "CONFLICT", detail: "The store refused the row by a rule of its own." }], key: [] };
}

/** A statement that fails must not spoil the transaction that it stands in. */
function inSavepoint<R>(tx: Storage | undefined, run: (tx: Storage | undefined) => Promise<R>): Promise<R> {
  return tx?.transaction === undefined ? run(tx) : tx.transaction(run);
}

async function insertPart(
  resource: Resource,
  context: Context,
  rows: readonly NewRow[],
  { tx, wantsRows }: InsertOptions,
): Promise<readonly Inserted[]> {
  const { environment } = context;
  const hasIds = rows.some(({ operationId }) => operationId !== undefined);
  const outcomes = await writableRows(environment, resource.model, tx).insertMany(
    rows.map(({ values }) => values),
    {
      ...writeCall(context),
      ...(hasIds ? { operationIds: rows.map(({ operationId }) => operationId ?? "") } : {}),
      returning: wantsRows ? "row" : "none",
    },
  );
  return rows.map((_, index) => {
    const outcome = outcomes[index];
    if (outcome?.ok) return outcome;
    const key = outcome?.why === "conflict" ? outcome.fields : [resource.id.name];
    return { ok: false, faults: faultsOf(duplicate(key)), key };
  });
}
