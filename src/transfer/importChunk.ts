import type { Context } from "../operation/context.js";
import { environmentWithin } from "../operation/environmentWithin.js";
import { pauseBefore, retrying } from "../operation/retry.js";
import { ProblemError } from "../problem/index.js";
import { Retryable } from "../storage/errors.js";
import type { Storage } from "../storage/storage.js";
import { ChangedMeanwhile, type ImportWork, type PreparedRows } from "./importWork.js";
import { countResults, type FailedRow, type ImportCounts, noCounts, type RowResult } from "./rowResult.js";
import type { RowSource, SourceRow } from "./rows.js";

/** Keeps what became of rows, in the transaction that wrote them; without one, once they are written. */
export type KeepResults = (tx: Storage | undefined, results: readonly RowResult[]) => Promise<void>;

/** Rows that stand next to each other. */
export interface JudgedChunk {
  /** What they were judged to be. */
  readonly prepared: PreparedRows;
  /** Judges them again, where something has changed meanwhile. */
  again(): Promise<PreparedRows>;
  readonly keep: KeepResults;
  /** Everything is done and taken back; `keep` is called with nothing to take back. */
  readonly isDry: boolean;
}

/** Writes rows that were judged, in one transaction with what `keep` makes of them. */
export async function importChunk(context: Context, { prepared: judged, again, keep, isDry }: JudgedChunk): Promise<void> {
  const { environment } = context;
  let prepared = judged;
  for (let attempt = 0; ; attempt++) {
    try {
      if (environment.storage.transaction === undefined && !isDry) return await keep(undefined, await prepared.write(undefined));
      if (isDry) return await keep(undefined, await takenBack(context, (tx) => prepared.write(tx)));
      return await retrying(() => environment.transaction(async (tx) => keep(tx, await prepared.write(tx))), environment);
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
      // Whoever is in the way goes on: a later try has other rows to look at.
      if (attempt === environment.limits.writeRetries) throw new Retryable("The rows of an import kept changing.", { cause: error });
      await pauseBefore(attempt, environment);
      prepared = await again();
    }
  }
}

/** What an import in one transaction came to. */
export interface ImportSummary {
  readonly counts: ImportCounts;
  /** The first ones. */
  readonly failed: readonly FailedRow[];
  /** Number of the last row that was looked at, where so many had failed that the import ended there. */
  readonly endedBehind?: number | undefined;
}

/** How an import in one transaction is done. */
export interface WholeImport {
  /** Anew for each try. */
  source(): RowSource;
  /** @param context in which everything is read and written in the transaction */
  work(context: Context): ImportWork;
  /** A row that fails ends it. */
  readonly stops: boolean;
  readonly isDry: boolean;
  /** So many failed rows are told of. */
  readonly maximumTold: number;
  /** More failed rows end it; what was imported stays. */
  readonly maxErrors: number;
  /** Commits with the rows. */
  seal(tx: Storage | undefined, summary: ImportSummary): Promise<void>;
}

/**
 * Imports a file in one transaction.
 *
 * @throws {RowRejected} for a row that ends it
 */
export function importWhole(context: Context, whole: WholeImport): Promise<ImportSummary> {
  const { environment } = context;
  const within = async (tx: Storage | undefined) => {
    const inner = tx === undefined ? context : { ...context, environment: environmentWithin(environment, tx) };
    return importAll(inner, whole, tx);
  };
  const once = async () => {
    if (environment.storage.transaction === undefined && !whole.isDry) return sealed(whole, undefined, await within(undefined));
    if (whole.isDry) return sealed(whole, undefined, await takenBack(context, within));
    return environment.transaction(async (tx) => sealed(whole, tx, await within(tx)));
  };
  return retrying(async () => {
    try {
      return await once();
    } catch (error) {
      throw error instanceof ChangedMeanwhile ? new Retryable("A row of an import has changed meanwhile.", { cause: error }) : error;
    }
  }, environment);
}

async function importAll(context: Context, whole: WholeImport, tx: Storage | undefined): Promise<ImportSummary> {
  const work = whole.work(context);
  let counts = noCounts;
  const failed: FailedRow[] = [];
  for await (const { rows } of whole.source()) {
    const results = await importRowsOf(context, work, rows, tx, whole.stops);
    counts = countResults(counts, results);
    for (const result of results) {
      if (result.outcome !== "failed") continue;
      if (whole.stops) throw new RowRejected(result);
      if (failed.length < whole.maximumTold) failed.push(result);
    }
    if (counts.failed > whole.maxErrors) return { counts, failed, endedBehind: rows.at(-1)?.row };
  }
  return { counts, failed };
}

/** In a savepoint, so that rows can be judged again that have turned out to be there. */
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
      return await (tx?.transaction === undefined ? prepared.write(tx) : tx.transaction((inner) => prepared.write(inner)));
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile) || attempt === environment.limits.writeRetries) throw error;
    }
  }
}

async function sealed(whole: WholeImport, tx: Storage | undefined, summary: ImportSummary): Promise<ImportSummary> {
  await whole.seal(tx, summary);
  return summary;
}

/** A row cannot be imported, so that none is. */
export class RowRejected extends Error {
  override readonly name = "RowRejected";
  readonly failed: FailedRow;

  constructor(failed: FailedRow) {
    super(`Row ${failed.row.row} cannot be imported.`);
    this.failed = failed;
  }
}

/** Why an import ended behind a row. */
export function tooManyErrors(maxErrors: number, row: number | undefined, extensions: Readonly<Record<string, unknown>> = {}): ProblemError {
  const detail = `More than ${maxErrors} rows failed; the import ended behind row ${row}.`;
  return new ProblemError("TOO_MANY_ERRORS", detail, { extensions: { row, ...extensions } });
}

/**
 * Why an import ended at a row.
 *
 * @param before what became of the others
 */
export function rejection({ row, faults }: FailedRow, before = "Nothing was imported."): ProblemError {
  const [first] = faults;
  const where = first?.field === undefined ? "" : `, column "${first.field}"`;
  const why = (first?.detail ?? "It cannot be imported").replace(/\.$/, "");
  const detail = `Row ${row.row} (line ${row.line}${where}): ${why}. ${before}`;
  const errors = faults.map(({ code, detail: what, field }) => ({ code, detail: field === undefined ? what : `${field}: ${what}` }));
  return new ProblemError("IMPORT_REJECTED", detail, { errors, extensions: { row: row.row, line: row.line } });
}

/** Takes a transaction back whose results are known. */
class TakenBack<R> extends Error {
  override readonly name = "TakenBack";
  readonly results: R;

  constructor(results: R) {
    super("The transaction was only tried.");
    this.results = results;
  }
}

async function takenBack<R>({ environment }: Context, run: (tx: Storage) => Promise<R>): Promise<R> {
  try {
    await retrying(
      () =>
        environment.transaction(async (tx) => {
          throw new TakenBack(await run(tx));
        }),
      environment,
    );
  } catch (error) {
    if (error instanceof TakenBack) return error.results as R;
    throw error;
  }
  throw new Error("A transaction that was to be taken back has committed.");
}
