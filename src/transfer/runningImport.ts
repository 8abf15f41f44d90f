import type { JobCall } from "../jobs/handler.js";
import type { ClaimedJob, JobStore } from "../storage/jobs.js";
import type { Storage } from "../storage/storage.js";
import { type ImportStep, importAdvance } from "./importAdvance.js";
import { importChunk, importWhole, RowRejected, rejection, tooManyErrors } from "./importChunk.js";
import { type ImportCursor, readCursor } from "./importCursor.js";
import type { ImportFile } from "./importFile.js";
import { type ImportPlan, readerOf, requireTransactions, workOf } from "./importPlan.js";
import { ImportSource } from "./importSource.js";
import type { ImportWork } from "./importWork.js";
import type { ReadMembers } from "./members.js";
import { countResults, failedRow, type ImportCounts, noCounts } from "./rowResult.js";
import { beginning, type Position } from "./rows.js";

/** After so many tries that ended at one place rows are imported one by one, and after one more the row there is left out. */
const carefulAttempts = 3;
/** So many rows are imported one by one before all is as usual again. */
const carefulRows = 1_000;

/** One try at the job of an import. */
export class RunningImport {
  readonly #plan: ImportPlan;
  readonly #source: ImportSource;
  readonly #job: ClaimedJob;
  readonly #call: JobCall;
  readonly #read: ReadMembers;
  readonly #start: Position;
  /** As of the last commit. */
  #counts: ImportCounts;
  #cursor: ImportCursor;

  constructor(plan: ImportPlan, file: ImportFile, job: ClaimedJob, call: JobCall) {
    this.#plan = plan;
    this.#source = new ImportSource(plan, file, call.signal);
    this.#job = job;
    this.#call = call;
    this.#read = readerOf(plan, file.header);
    this.#start = file.header?.next ?? beginning;
    const { created, updated, skipped, failed } = { ...noCounts, ...job.counts };
    this.#counts = { created, updated, skipped, failed };
    this.#cursor = readCursor(job.cursor) ?? this.#start;
  }

  async run(): Promise<void> {
    requireTransactions(this.#plan);
    if (!this.#cursor.isDone) {
      await this.#source.requireUnchanged();
      await (this.#plan.settings.onError === "stop" ? this.#allOrNone() : this.#chunkByChunk());
    }
    await this.#source.remove();
  }

  /** Each chunk of rows commits with how far the import is. */
  async #chunkByChunk(): Promise<void> {
    const work = this.#work();
    const { attempts } = this.#job;
    await this.#forgive();
    if (attempts > carefulAttempts) await this.#leaveOut();
    if (attempts >= carefulAttempts) await this.#import(work, { chunkRows: 1, maximum: carefulRows });
    await this.#import(work, {});
    await this.#commit(undefined, { cursor: { ...this.#cursor, isDone: true }, counts: this.#counts, failed: [] });
  }

  async #import(work: ImportWork, { chunkRows, maximum }: { readonly chunkRows?: number; readonly maximum?: number }): Promise<void> {
    const { context, settings } = this.#plan;
    let chunks = 0;
    for await (const { rows, next } of this.#source.rows(this.#cursor, chunkRows)) {
      await this.#committing((commit) =>
        importChunk(
          context,
          work,
          rows,
          (tx, results) =>
            commit(tx, {
              cursor: { ...this.#cursor, ...next },
              counts: countResults(this.#counts, results),
              failed: results.filter((result) => result.outcome === "failed"),
            }),
          settings.dryRun,
        ),
      );
      if (this.#hasTooManyErrors()) throw tooManyErrors(this.#plan.settings.maxErrors, rows.at(-1)?.row);
      chunks += 1;
      if (chunks === maximum) return;
    }
  }

  async #leaveOut(): Promise<void> {
    for await (const { rows, next } of this.#source.rows(this.#cursor, 1)) {
      const fault = { code: "WORKER_CRASHED" as const, detail: "The process that imported this row ended three times in a row." };
      const failed = rows.map((row) => failedRow(row, fault));
      await this.#commit(undefined, { cursor: { ...this.#cursor, ...next }, counts: countResults(this.#counts, failed), failed });
      return;
    }
  }

  /** First every row is judged, in steps that are kept; then all are imported in one transaction. */
  async #allOrNone(): Promise<void> {
    this.#counts = noCounts;
    try {
      await this.#checkAll();
      await this.#importAll();
    } catch (error) {
      if (!(error instanceof RowRejected)) throw error;
      // It is in the report, and judged again where the import goes on.
      await this.#commit(undefined, { cursor: this.#cursor, counts: { ...noCounts, failed: 1 }, failed: [error.failed] });
      throw rejection(error.failed);
    }
  }

  async #checkAll(): Promise<void> {
    const work = this.#work();
    for await (const { rows, next } of this.#source.rows(this.#cursor)) {
      const hopeless = await work.findHopeless(rows);
      if (hopeless !== undefined) throw new RowRejected(hopeless);
      await this.#commit(undefined, { cursor: { ...next, isChecked: true }, counts: noCounts, failed: [] });
    }
  }

  #importAll(): Promise<unknown> {
    const cursor: ImportCursor = { ...this.#cursor, isChecked: true, isDone: true };
    return this.#committing((commit) =>
      importWhole(this.#plan.context, {
        source: () => this.#source.rows(undefined),
        work: (context) => workOf({ ...this.#plan, context }, this.#read),
        stops: true,
        isDry: this.#plan.settings.dryRun,
        maximumTold: 0,
        maxErrors: 0,
        seal: (tx, { counts }) => commit(tx, { cursor, counts, failed: [] }),
      }),
    );
  }

  #work(): ImportWork {
    const hasTransactions = this.#plan.context.environment.storage.transaction !== undefined;
    return workOf(this.#plan, this.#read, hasTransactions ? undefined : ({ row }) => `${this.#job.id}:${row}`);
  }

  #commit(tx: Storage | undefined, step: ImportStep): Promise<void> {
    return this.#committing((commit) => commit(tx, step));
  }

  /** A transaction may run again: where the import stands is known once it has committed. */
  async #committing<R>(run: (commit: Commit) => Promise<R>): Promise<R> {
    let last: ImportStep | undefined;
    const result = await run(async (tx, step) => {
      await this.#call.advance(this.#jobs(tx), importAdvance(step, this.#plan.settings, this.#start, this.#job.total));
      last = step;
    });
    if (last !== undefined) {
      this.#counts = last.counts;
      this.#cursor = last.cursor;
    }
    return result;
  }

  #jobs(tx: Storage | undefined): JobStore {
    if (tx !== undefined && tx.jobs === undefined) throw new Error("The storage keeps jobs, but its transactions do not.");
    const store = tx?.jobs ?? this.#plan.context.environment.jobs?.store;
    if (store === undefined) throw new Error("The storage keeps no jobs.");
    return store;
  }

  /**
   * An import that had too many failed rows and was reopened is let off those: it goes on until as many more have failed. One whose worker died before it
   * could say so has been tried, and was not.
   *
   * @throws {ProblemError} TOO_MANY_ERRORS
   */
  async #forgive(): Promise<void> {
    if (!this.#hasTooManyErrors()) return;
    if (this.#job.attempts > 0) throw tooManyErrors(this.#plan.settings.maxErrors, this.#cursor.row);
    await this.#commit(undefined, { cursor: { ...this.#cursor, forgiven: this.#counts.failed }, counts: this.#counts, failed: [] });
  }

  #hasTooManyErrors(): boolean {
    return this.#counts.failed - (this.#cursor.forgiven ?? 0) > this.#plan.settings.maxErrors;
  }
}

type Commit = (tx: Storage | undefined, step: ImportStep) => Promise<void>;
