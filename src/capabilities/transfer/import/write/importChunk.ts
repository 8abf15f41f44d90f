import type { Context } from "../../../../engine/operation/context.js";
import { environmentWithin } from "../../../../engine/operation/environmentWithin.js";
import { savepoint } from "../../../../engine/operation/transaction/savepoint.js";
import { pauseBefore, retrying } from "../../../../engine/operation/work/retry.js";
import { ProblemError } from "../../../../ground/problem/index.js";
import { Retryable } from "../../../../ground/storage/errors.js";
import type { Storage } from "../../../../ground/storage/storage.js";
import type { RowSource, SourceRow } from "../../rows.js";
import { ChangedMeanwhile, type ImportWork, type PreparedRows } from "./importWork.js";
import { countResults, type FailedRow, type ImportCounts, noCounts, type RowResult } from "./rowResult.js";

/** Records the results of rows: in the transaction that writes them, or after the write if the storage has no transactions. */
export type SaveResults = (tx: Storage | undefined, results: readonly RowResult[]) => Promise<void>;

/** Consecutive rows to be written. */
export interface ChunkToWrite {
  readonly prepared: PreparedRows;
  /** Prepares the rows again after a row has changed. */
  prepareAgain(): Promise<PreparedRows>;
  readonly save: SaveResults;
  /** The rows are written and rolled back; `save` is then called without a transaction. */
  readonly isDry: boolean;
}

/** Writes prepared rows and saves their results in one transaction. */
export async function importChunk(context: Context, { prepared: first, prepareAgain, save, isDry }: ChunkToWrite): Promise<void> {
  const { environment } = context;
  let prepared = first;
  for (let attempt = 0; ; attempt++) {
    try {
      if (environment.storage.transaction === undefined && !isDry) return await save(undefined, await prepared.write(undefined));
      if (isDry) return await save(undefined, await rolledBack(context, (tx) => prepared.write(tx)));
      return await environment.transaction(async (tx) => save(tx, await prepared.write(tx)));
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
      // Another writer keeps changing these rows; a later attempt of the job may succeed.
      if (attempt === environment.limits.writeRetries) throw new Retryable("The rows of an import kept changing.", { cause: error });
      await pauseBefore(attempt, environment);
      prepared = await prepareAgain();
    }
  }
}

/** The result of an import without a job. */
export interface ImportSummary {
  readonly counts: ImportCounts;
  /** The first failed rows, at most `maxListed`. */
  readonly failed: readonly FailedRow[];
  /** Number of the last row that was tried, if the import ended because of too many errors. */
  readonly endedAfterRow?: number | undefined;
}

/** Options of `importWhole` and `importEach`. */
export interface WholeImport {
  /** Opens the rows; called again for every attempt. */
  source(): RowSource;
  /** @param context reads and writes in the transaction */
  work(context: Context): ImportWork;
  /** Whether the first failed row ends the import. */
  readonly stops: boolean;
  readonly isDry: boolean;
  /** So many failed rows are in the summary. */
  readonly maxListed: number;
  /** More failed rows end the import; the imported rows stay. */
  readonly maxErrors: number;
  /** Writes the result; commits with the rows. */
  seal(tx: Storage | undefined, summary: ImportSummary): Promise<void>;
}

/**
 * Imports a file in one transaction.
 *
 * @throws {RowRejected} for the row that ends the import
 * @throws {ImportBrokeOff} for an error on a storage without transactions
 */
export async function importWhole(context: Context, whole: WholeImport): Promise<ImportSummary> {
  const { environment } = context;
  const within = async (tx: Storage | undefined) => {
    const inner = tx === undefined ? context : { ...context, environment: environmentWithin(environment, tx) };
    const work = whole.work(inner);
    const importRows = (rows: readonly SourceRow[]) => importRowsOf(inner, work, rows, tx, whole.stops);
    try {
      return await importAll(whole, whole.source(), tx === undefined ? brokeOff(importRows) : importRows);
    } catch (error) {
      throw error instanceof ChangedMeanwhile ? new Retryable("A row of an import changed while it was imported.", { cause: error }) : error;
    }
  };
  if (whole.isDry) return sealed(whole, undefined, await rolledBack(context, within));
  if (environment.storage.transaction === undefined) return retrying(async () => sealed(whole, undefined, await within(undefined)), environment);
  return environment.transaction(async (tx) => sealed(whole, tx, await within(tx)));
}

/**
 * Imports a file row by row, each in its own transaction, because effects cannot be rolled back. Does not support `isDry` and `stops`.
 *
 * @throws {ImportBrokeOff}
 */
export async function importEach(context: Context, whole: WholeImport): Promise<ImportSummary> {
  const work = whole.work(context);
  const importRow: ImportRows = async (rows) => {
    const prepareAgain = () => work.prepare(rows);
    let results: readonly RowResult[] = [];
    const save = async (_: unknown, written: readonly RowResult[]) => {
      results = written;
    };
    await importChunk(context, { prepared: await work.prepare(rows), prepareAgain, isDry: false, save });
    return results;
  };
  return sealed(whole, undefined, await importAll(whole, rowByRow(whole.source()), brokeOff(importRow)));
}

async function* rowByRow(source: RowSource): AsyncGenerator<{ readonly rows: readonly SourceRow[] }, void, undefined> {
  for await (const { rows } of source) for (const row of rows) yield { rows: [row] };
}

/** @param soFar what became of the rows before */
type ImportRows = (rows: readonly SourceRow[], soFar: ImportSummary) => Promise<readonly RowResult[]>;

/** Tells with the error of rows that commit by themselves what is imported. */
function brokeOff(importRows: ImportRows): ImportRows {
  return async (rows, soFar) => {
    try {
      return await importRows(rows, soFar);
    } catch (error) {
      throw error instanceof RowRejected || error instanceof ChangedMeanwhile ? error : new ImportBrokeOff(soFar, rows[0]?.row, error);
    }
  };
}

async function importAll(
  whole: WholeImport,
  source: AsyncIterable<{ readonly rows: readonly SourceRow[] }>,
  importRows: ImportRows,
): Promise<ImportSummary> {
  let counts = noCounts;
  const failed: FailedRow[] = [];
  for await (const { rows } of source) {
    const results = await importRows(rows, { counts, failed });
    counts = countResults(counts, results);
    for (const result of results) {
      if (result.outcome !== "failed") continue;
      if (whole.stops) throw new RowRejected(result);
      if (failed.length < whole.maxListed) failed.push(result);
    }
    if (counts.failed > whole.maxErrors) return { counts, failed, endedAfterRow: rows.at(-1)?.row };
  }
  return { counts, failed };
}

/** Writes rows in a savepoint, so that they can be prepared again if one of them has changed. */
async function importRowsOf(
  { environment }: Context,
  work: ImportWork,
  rows: readonly SourceRow[],
  tx: Storage | undefined,
  stops: boolean,
): Promise<readonly RowResult[]> {
  for (let attempt = 0; ; attempt++) {
    const prepared = await work.prepare(rows);
    const [first] = prepared.failed;
    if (stops && first !== undefined) throw new RowRejected(first);
    try {
      return await (tx?.transaction === undefined ? prepared.write(tx) : savepoint(tx, (inner) => prepared.write(inner)));
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile) || attempt === environment.limits.writeRetries) throw error;
    }
  }
}

async function sealed(whole: WholeImport, tx: Storage | undefined, summary: ImportSummary): Promise<ImportSummary> {
  await whole.seal(tx, summary);
  return summary;
}

/** An import whose rows commit one after the other ended with an error: those before are imported. */
export class ImportBrokeOff extends Error {
  override readonly name = "ImportBrokeOff";
  readonly summary: ImportSummary;
  /** The first row that is not known to be imported. */
  readonly row: number | undefined;

  constructor(summary: ImportSummary, row: number | undefined, cause: unknown) {
    super(`An import broke off at row ${row}.`, { cause });
    this.summary = summary;
    this.row = row;
  }
}

/** A row cannot be imported, and ends an import with `onError=stop`. */
export class RowRejected extends Error {
  override readonly name = "RowRejected";
  readonly failed: FailedRow;

  constructor(failed: FailedRow) {
    super(`Row ${failed.row.row} cannot be imported.`);
    this.failed = failed;
  }
}

/** The problem of an import that ended because of too many failed rows. */
export function tooManyErrors(maxErrors: number, row: number | undefined, extensions: Readonly<Record<string, unknown>> = {}): ProblemError {
  const detail = `More than ${maxErrors} rows failed; the import ended after row ${row}.`;
  return new ProblemError("TOO_MANY_ERRORS", detail, { extensions: { row, ...extensions } });
}

/**
 * The problem of an import that ended at an invalid row.
 *
 * @param before a sentence that tells what happened to the other rows
 */
export function rejection({ row, faults }: FailedRow, before = "Nothing was imported."): ProblemError {
  const [first] = faults;
  const where = first?.field === undefined ? "" : `, column "${first.field}"`;
  const why = (first?.detail ?? "It cannot be imported").replace(/\.$/, "");
  const detail = `Row ${row.row} (line ${row.line}${where}): ${why}. ${before}`;
  const errors = faults.map(({ code, detail: what, field }) => ({ code, detail: field === undefined ? what : `${field}: ${what}` }));
  return new ProblemError("IMPORT_REJECTED", detail, { errors, extensions: { row: row.row, line: row.line } });
}

/** Thrown to roll a transaction back; carries its results out. */
class RolledBack<R> extends Error {
  override readonly name = "RolledBack";
  readonly results: R;

  constructor(results: R) {
    super("The transaction of a dry run is rolled back.");
    this.results = results;
  }
}

async function rolledBack<R>({ environment }: Context, run: (tx: Storage) => Promise<R>): Promise<R> {
  try {
    await environment.transaction(async (tx) => {
      throw new RolledBack(await run(tx));
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.results as R;
    throw error;
  }
  throw new Error("The transaction of a dry run was committed instead of rolled back.");
}
