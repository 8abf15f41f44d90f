import type { JobCall, RunningJob } from "../../../../engine/operation/work/runningJob.js";
import { SlicePace } from "../../../../engine/operation/work/slicePace.js";
import type { ClaimedJob, JobStore } from "../../../../ground/storage/queue/jobs.js";
import type { Storage } from "../../../../ground/storage/storage.js";
import type { Principal } from "../../../../parts/auth/verifier.js";
import { jobsOf } from "../../../jobs/settings.js";
import { beginning, type Position, type RowChunk, type SourceRow } from "../../rows.js";
import type { ImportFile } from "../file/importFile.js";
import { ImportSource } from "../file/importSource.js";
import { hasEffects, type ImportPlan, prepareImport, readerOf, requireTransactions, workOf } from "../request/importPlan.js";
import { importChunk, importWhole, RowRejected, rejection, tooManyErrors } from "../write/importChunk.js";
import type { ImportWork, PreparedRows } from "../write/importWork.js";
import { countResults, failedRow, type ImportCounts, noCounts } from "../write/rowResult.js";
import { hideWriteOnly } from "./hideWriteOnly.js";
import { type ImportCheckpoint, type ImportCursor, importAdvance, readCursor, settled } from "./importCheckpoint.js";
import { prefetch } from "./prefetch.js";

/** After so many attempts that ended at the same position, rows are imported one by one. */
const carefulAttempts = 3;
/** So many rows are then imported one by one: as many as a chunk has. */
const carefulRows = 1_000;
/** A row is put off after so many workers that died while it was imported by itself. */
const maxDeaths = 2;
/** It is left out after so many more that died when it was tried again. */
const maxRetryDeaths = 3;
/** A worker tries a row again after it has imported so many others, as far as there are any: if it dies then, it was hardly something else. */
const othersFirst = 10;

/** How many rows the first chunk has, and each other one at least, if events or hooks follow each: they may take long, and others wait for the transaction. */
const heardRows = { firstRows: 50, minRows: 20 };
const maxRows = 1_000;

/** How an import learns what its principal may do now. */
export interface ImportRights {
  readonly running: RunningJob;
  /** Asks `authorize` and the field rules. @throws {ProblemError} FORBIDDEN, NOT_FOUND */
  planFor(principal: Principal): Promise<ImportPlan>;
}

/** One attempt of the job of an import. */
export class RunningImport {
  /** As it was when the attempt began. */
  readonly #plan: ImportPlan;
  readonly #file: ImportFile;
  readonly #source: ImportSource;
  readonly #job: ClaimedJob;
  readonly #call: JobCall;
  readonly #rights: ImportRights;
  readonly #start: Position;
  /** How many rows a chunk has. */
  readonly #pace: SlicePace;
  /** What the error report has of a row. */
  readonly #reported: (row: SourceRow) => SourceRow;
  /** State of the last commit. */
  #counts: ImportCounts;
  #cursor: ImportCursor;
  /** How many rows this attempt has imported by themselves. */
  #imported = 0;

  constructor(plan: ImportPlan, file: ImportFile, rights: ImportRights) {
    const { job, call } = rights.running;
    this.#plan = plan;
    this.#file = file;
    this.#source = new ImportSource(plan, file, call.signal);
    this.#job = job;
    this.#call = call;
    this.#rights = rights;
    this.#start = file.header?.next ?? beginning;
    const { clock, events, hooks } = plan.context.environment;
    const { name } = plan.resource.model;
    const isHeard = events?.concerns(name) === true || hooks?.concerns(name) === true;
    this.#pace = new SlicePace({ ...(isHeard ? heardRows : { firstRows: maxRows, minRows: maxRows }), maxRows, clock });
    this.#reported = hideWriteOnly(plan.resource, plan.settings, file.header?.names);
    const { created, updated, skipped, failed } = { ...noCounts, ...job.counts };
    this.#counts = { created, updated, skipped, failed };
    this.#cursor = settled(readCursor(job.cursor) ?? this.#start, job.attempts > 0);
  }

  async run(): Promise<void> {
    requireTransactions(this.#plan);
    if (!this.#cursor.isDone) {
      await this.#source.requireUnchanged();
      await (this.#plan.settings.onError === "stop" ? this.#allOrNone() : this.#chunkByChunk());
    }
    await this.#source.remove();
  }

  /** Commits each chunk of rows together with the progress of the import. */
  async #chunkByChunk(): Promise<void> {
    const { canPrefetch } = await this.#work();
    await this.#forgive();
    if (this.#job.attempts >= carefulAttempts) await this.#move({ careful: carefulRows });
    if (this.#cursor.careful !== undefined) await this.#oneByOne();
    const chunks = this.#prepared();
    for await (const chunk of canPrefetch ? prefetch(chunks) : chunks) await this.#pace.measured(chunk.rows.length, () => this.#write(chunk));
    await this.#move({ isDone: true });
  }

  async *#prepared(): AsyncGenerator<PreparedChunk, void, undefined> {
    // A row with an effect is committed by itself, so that a new attempt repeats one effect at most.
    const chunkRows = hasEffects(this.#plan) ? 1 : () => this.#pace.rows;
    for await (const { rows, next } of this.#source.rows(this.#cursor, chunkRows)) yield this.#prepare(rows, next);
  }

  async #prepare(rows: readonly SourceRow[], next: Position): Promise<PreparedChunk> {
    const work = await this.#work();
    return { rows, next, work, prepared: await work.prepare(rows) };
  }

  /** A row during which workers die is put off, because they may die of something else. Then there are rows after it which show that the worker is well. */
  async #oneByOne(): Promise<void> {
    for await (const { rows, next } of this.#source.rows(this.#cursor, 1)) {
      const { deaths = 0, careful = 0, putOff = [], row, line, byte } = this.#cursor;
      if (careful === 0 && (putOff.length === 0 || this.#imported >= othersFirst)) break;
      if (deaths >= maxDeaths) {
        await this.#move({ ...this.#cursorAfter(next), putOff: [...putOff, { row, line, byte }] });
      } else {
        await this.#move({ begun: "next" });
        await this.#write(await this.#prepare(rows, next));
        this.#imported += 1;
      }
    }
    await this.#tryAgain();
    await this.#move({ careful: undefined });
  }

  /** Tries the rows that were put off, each by itself. One during which each worker dies is left out. */
  async #tryAgain(): Promise<void> {
    for (;;) {
      const [first, ...others] = this.#cursor.putOff ?? [];
      if (first === undefined) return;
      const { rows, next } = await this.#rowAfter(first);
      const cursor = (): ImportCursor => ({ ...this.#cursor, begun: undefined, putOff: others.length === 0 ? undefined : others });
      if ((first.deaths ?? 0) >= maxRetryDeaths) {
        await this.#leaveOut(rows, cursor());
      } else {
        await this.#move({ begun: "put off" });
        await this.#write(await this.#prepare(rows, next), cursor());
      }
    }
  }

  async #rowAfter(position: Position): Promise<RowChunk> {
    for await (const chunk of this.#source.rows(position, 1)) return chunk;
    throw new Error(`The file of an import has no row after row ${position.row}.`);
  }

  /** @param cursor the cursor when the rows are written */
  async #write({ rows, next, work, prepared }: PreparedChunk, cursor: ImportCursor = this.#cursorAfter(next)): Promise<void> {
    const { context, settings } = this.#plan;
    await this.#committing((commit) =>
      importChunk(context, {
        prepared,
        prepareAgain: () => work.prepare(rows),
        save: (tx, results) =>
          commit(tx, {
            cursor,
            counts: countResults(this.#counts, results),
            failed: results.filter((result) => result.outcome === "failed"),
          }),
        isDry: settings.dryRun,
      }),
    );
    if (this.#hasTooManyErrors()) throw tooManyErrors(settings.maxErrors, rows.at(-1)?.row);
  }

  async #leaveOut(rows: readonly SourceRow[], cursor: ImportCursor): Promise<void> {
    const fault = { code: "WORKER_CRASHED" as const, detail: "Every process that imported this row crashed." };
    const failed = rows.map((row) => failedRow(row, fault));
    await this.#commit(undefined, { cursor, counts: countResults(this.#counts, failed), failed });
  }

  #cursorAfter(next: Position): ImportCursor {
    const { careful } = this.#cursor;
    const left = careful === undefined ? undefined : Math.max(0, careful - 1);
    return { ...this.#cursor, ...next, begun: undefined, deaths: undefined, careful: left };
  }

  /** Records a change of the cursor. */
  #move(change: Partial<ImportCursor>): Promise<void> {
    return this.#commit(undefined, { cursor: { ...this.#cursor, ...change }, counts: this.#counts, failed: [] });
  }

  /** First validates every row and records the progress; then imports all rows in one transaction. */
  async #allOrNone(): Promise<void> {
    this.#counts = noCounts;
    try {
      await this.#checkAll();
      await this.#importAll();
    } catch (error) {
      if (!(error instanceof RowRejected)) throw error;
      // Adds the row to the error report. The cursor stays before it: when the import is resumed, the row is validated again.
      await this.#commit(undefined, { cursor: this.#cursor, counts: { ...noCounts, failed: 1 }, failed: [error.failed] });
      throw rejection(error.failed);
    }
  }

  async #checkAll(): Promise<void> {
    for await (const { rows, next } of this.#source.rows(this.#cursor)) {
      const invalid = await (await this.#work()).findInvalid(rows);
      if (invalid !== undefined) throw new RowRejected(invalid);
      await this.#commit(undefined, { cursor: { ...next, isChecked: true }, counts: noCounts, failed: [] });
    }
  }

  async #importAll(): Promise<void> {
    const cursor: ImportCursor = { ...this.#cursor, isChecked: true, isDone: true };
    const plan = await this.#planAgain();
    const read = readerOf(plan, this.#file.header);
    await prepareImport(plan);
    await this.#committing((commit) =>
      importWhole(plan.context, {
        source: () => this.#source.rows(undefined),
        work: (context) => workOf({ ...plan, context }, read),
        stops: true,
        isDry: this.#plan.settings.dryRun,
        maxListed: 0,
        maxErrors: 0,
        seal: (tx, { counts }) => commit(tx, { cursor, counts, failed: [] }),
      }),
    );
  }

  /** The plan with the rights that the principal has now. @throws {ProblemError} if it may not import any more */
  async #planAgain(): Promise<ImportPlan> {
    const { running, planFor } = this.#rights;
    return planFor(await running.principal.current());
  }

  /** The work on the next chunk of rows, for which all rights are asked again. */
  async #work(): Promise<ImportWork> {
    const plan = await this.#planAgain();
    const hasTransactions = plan.context.environment.storage.transaction !== undefined;
    return workOf(plan, readerOf(plan, this.#file.header), {
      operationIdOf: hasTransactions ? undefined : ({ row }) => `${this.#job.id}:${row}`,
      // A dry run has no effects.
      effectsUnder: this.#plan.settings.dryRun ? undefined : this.#job.id,
    });
  }

  #commit(tx: Storage | undefined, checkpoint: ImportCheckpoint): Promise<void> {
    return this.#committing((commit) => commit(tx, checkpoint));
  }

  /** Updates the state after the commit only, since a transaction may run more than once. */
  async #committing<R>(run: (commit: Commit) => Promise<R>): Promise<R> {
    let last: ImportCheckpoint | undefined;
    const result = await run(async (tx, checkpoint) => {
      const failed = checkpoint.failed.map((each) => ({ ...each, row: this.#reported(each.row) }));
      const advance = importAdvance({ ...checkpoint, failed }, this.#plan.settings, this.#start, this.#job.total);
      await this.#call.advance(this.#jobs(tx), advance);
      last = checkpoint;
    });
    if (last !== undefined) {
      this.#counts = last.counts;
      this.#cursor = last.cursor;
    }
    return result;
  }

  #jobs(tx: Storage | undefined): JobStore {
    if (tx !== undefined && tx.jobs === undefined) throw new Error("The storage has jobs, but its transactions have none.");
    const store = tx?.jobs ?? jobsOf(this.#plan.context.environment)?.store;
    if (store === undefined) throw new Error("The job of an import runs, but the service has no jobs.");
    return store;
  }

  /**
   * When a client resumes an import that had too many failed rows, those rows no longer count. If instead a worker crashed before it could end the import,
   * the job has attempts, and the import ends now.
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

/** Consecutive rows that are ready to be written. */
interface PreparedChunk extends RowChunk {
  readonly work: ImportWork;
  readonly prepared: PreparedRows;
}

type Commit = (tx: Storage | undefined, checkpoint: ImportCheckpoint) => Promise<void>;
