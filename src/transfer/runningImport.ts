import type { JobCall } from "../jobs/handler.js";
import type { ClaimedJob, JobStore } from "../storage/jobs.js";
import type { Storage } from "../storage/storage.js";
import { type ImportStep, importAdvance } from "./importAdvance.js";
import { importChunk, importWhole, RowRejected, rejection, tooManyErrors } from "./importChunk.js";
import { type ImportCursor, readCursor } from "./importCursor.js";
import type { ImportFile } from "./importFile.js";
import { type ImportPlan, readerOf, requireTransactions, workOf } from "./importPlan.js";
import { ImportSource } from "./importSource.js";
import type { ImportWork, PreparedRows } from "./importWork.js";
import { lookAhead } from "./lookAhead.js";
import type { ReadMembers } from "./members.js";
import { countResults, failedRow, type ImportCounts, noCounts } from "./rowResult.js";
import { beginning, type Position, type RowChunk, type SourceRow } from "./rows.js";

/** After so many tries that ended at one position rows are imported one by one. */
const carefulAttempts = 3;
/** So many rows; then all is as usual again. A chunk has no more. */
const carefulRows = 1_000;
/** A row that workers died of so many times is left out. */
const begunAtMost = 2;

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
    await this.#forgive();
    if (this.#job.attempts >= carefulAttempts) await this.#move({ careful: carefulRows });
    if (this.#cursor.careful !== undefined) await this.#oneByOne(work);
    const judged = this.#judged(work);
    for await (const chunk of work.canLookAhead ? lookAhead(judged) : judged) await this.#write(work, chunk);
    await this.#move({ isDone: true });
  }

  async *#judged(work: ImportWork): AsyncGenerator<JudgedRows, void, undefined> {
    for await (const { rows, next } of this.#source.rows(this.#cursor)) yield { rows, next, prepared: await work.prepare(rows) };
  }

  /** A row that was begun by itself, and not ended, is what its workers died of; after the second time it is left out. */
  async #oneByOne(work: ImportWork): Promise<void> {
    for await (const { rows, next } of this.#source.rows(this.#cursor, 1)) {
      const { begun = 0, careful = 0 } = this.#cursor;
      if (careful === 0) break;
      if (begun >= begunAtMost) {
        await this.#leaveOut(rows, next);
      } else {
        await this.#move({ begun: begun + 1 });
        await this.#write(work, { rows, next, prepared: await work.prepare(rows) });
      }
    }
    await this.#move({ careful: undefined });
  }

  async #write(work: ImportWork, { rows, next, prepared }: JudgedRows): Promise<void> {
    const { context, settings } = this.#plan;
    await this.#committing((commit) =>
      importChunk(context, {
        prepared,
        again: () => work.prepare(rows),
        keep: (tx, results) =>
          commit(tx, {
            cursor: this.#behind(next),
            counts: countResults(this.#counts, results),
            failed: results.filter((result) => result.outcome === "failed"),
          }),
        isDry: settings.dryRun,
      }),
    );
    if (this.#hasTooManyErrors()) throw tooManyErrors(settings.maxErrors, rows.at(-1)?.row);
  }

  async #leaveOut(rows: readonly SourceRow[], next: Position): Promise<void> {
    const fault = { code: "WORKER_CRASHED" as const, detail: "The process that imported this row ended whenever it began it." };
    const failed = rows.map((row) => failedRow(row, fault));
    await this.#commit(undefined, { cursor: this.#behind(next), counts: countResults(this.#counts, failed), failed });
  }

  #behind(next: Position): ImportCursor {
    const { careful } = this.#cursor;
    return { ...this.#cursor, ...next, begun: undefined, careful: careful === undefined ? undefined : careful - 1 };
  }

  /** Keeps something about where the import stands. */
  #move(change: Partial<ImportCursor>): Promise<void> {
    return this.#commit(undefined, { cursor: { ...this.#cursor, ...change }, counts: this.#counts, failed: [] });
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
    await this.#move({ forgiven: this.#counts.failed });
  }

  #hasTooManyErrors(): boolean {
    return this.#counts.failed - (this.#cursor.forgiven ?? 0) > this.#plan.settings.maxErrors;
  }
}

/** Rows that stand next to each other, and what they were judged to be. */
interface JudgedRows extends RowChunk {
  readonly prepared: PreparedRows;
}

type Commit = (tx: Storage | undefined, step: ImportStep) => Promise<void>;
