import type { JobCall } from "../jobs/handler.js";
import { ProblemError } from "../problem/index.js";
import type { ByteRange } from "../storage/blobs.js";
import type { ClaimedJob, JobAdvance, JobStore } from "../storage/jobs.js";
import type { Storage } from "../storage/storage.js";
import { type FileReading, fileRows } from "./fileRows.js";
import { importChunk, importWhole, RowRejected, refuse, rejection } from "./importChunk.js";
import { type ImportCursor, readCursor } from "./importCursor.js";
import { importEntry } from "./importEntry.js";
import type { ImportFile } from "./importFile.js";
import { type ImportPlan, noTransactions, readerOf, workOf } from "./importPlan.js";
import type { ImportWork, PreparedRows } from "./importWork.js";
import { lookAhead } from "./lookAhead.js";
import type { ReadMembers } from "./members.js";
import { countResults, type FailedRow, failedRow, type ImportCounts, noCounts } from "./rowResult.js";
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
  readonly #file: ImportFile;
  readonly #job: ClaimedJob;
  readonly #call: JobCall;
  readonly #read: ReadMembers;
  readonly #start: Position;
  /** As of the last commit. */
  #counts: ImportCounts;
  #cursor: ImportCursor;

  constructor(plan: ImportPlan, file: ImportFile, job: ClaimedJob, call: JobCall) {
    this.#plan = plan;
    this.#file = file;
    this.#job = job;
    this.#call = call;
    this.#read = readerOf(plan, file.header);
    this.#start = file.header?.next ?? beginning;
    const { created, updated, skipped, failed } = { ...noCounts, ...job.counts };
    this.#counts = { created, updated, skipped, failed };
    this.#cursor = readCursor(job.cursor) ?? this.#start;
  }

  async run(): Promise<void> {
    if (!this.#cursor.isDone) {
      await this.#requireSource();
      await (this.#plan.settings.onError === "stop" ? this.#allOrNone() : this.#chunkByChunk());
    }
    await this.#removeSource();
  }

  /** @throws {ProblemError} SOURCE_CHANGED */
  async #requireSource(): Promise<void> {
    const { blob, bytes } = this.#file;
    const stat = blob && (await this.#blobs().stat(blob.key));
    if (stat === undefined) throw new ProblemError("SOURCE_CHANGED", "The file of the import is not there any more.");
    if (stat.size === bytes && stat.etag === blob?.etag) return;
    throw new ProblemError("SOURCE_CHANGED", "The file of the import is not the one that it began with.");
  }

  async #removeSource(): Promise<void> {
    const { environment } = this.#plan.context;
    const { blob } = this.#file;
    try {
      if (blob !== undefined) await this.#blobs().delete(blob.key);
    } catch (error) {
      environment.logger.warn({ err: error, job: this.#job.id }, "The file of an import could not be removed; it is removed later.");
    }
  }

  /** Each chunk of rows commits with how far the import is. */
  async #chunkByChunk(): Promise<void> {
    const work = this.#work();
    if (this.#job.attempts >= carefulAttempts) await this.#move({ careful: carefulRows });
    if (this.#cursor.careful !== undefined) await this.#oneByOne(work);
    await this.#import(work);
    await this.#move({ isDone: true });
  }

  async #import(work: ImportWork): Promise<void> {
    const judged = this.#judged(work);
    for await (const chunk of work.canLookAhead ? lookAhead(judged) : judged) await this.#write(work, chunk);
  }

  /** A row that was begun by itself, and not ended, is what its workers died of; after the second time it is left out. */
  async #oneByOne(work: ImportWork): Promise<void> {
    for await (const { rows, next } of this.#rows({ chunkRows: 1 })) {
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

  async #write(work: ImportWork, { rows, next, prepared }: RowChunk & { readonly prepared: PreparedRows }): Promise<void> {
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
    await this.#judgeErrors(rows);
  }

  async #leaveOut(rows: readonly SourceRow[], next: Position): Promise<void> {
    const fault = { code: "WORKER_CRASHED" as const, detail: "The process that imported this row ended time and again." };
    const failed = rows.map((row) => failedRow(row, fault));
    await this.#commit(undefined, { cursor: this.#behind(next), counts: countResults(this.#counts, failed), failed });
  }

  #behind(next: Position): ImportCursor {
    const { careful } = this.#cursor;
    return { ...this.#cursor, ...next, begun: undefined, careful: careful === undefined ? undefined : careful - 1 };
  }

  async *#judged(work: ImportWork) {
    for await (const { rows, next } of this.#rows()) yield { rows, next, prepared: await work.prepare(rows) };
  }

  /** First every row is judged, in steps that are kept; then all are imported in one transaction. */
  async #allOrNone(): Promise<void> {
    const { environment } = this.#plan.context;
    if (environment.storage.transaction === undefined) throw noTransactions();
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
    const work = workOf({ ...this.#plan, judgesOnly: true }, this.#read);
    for await (const { rows, next } of this.#rows()) {
      refuse(await work.prepare(rows));
      await this.#commit(undefined, { cursor: { ...next, isChecked: true }, counts: noCounts, failed: [] });
    }
  }

  #importAll(): Promise<unknown> {
    const cursor: ImportCursor = { ...this.#cursor, isChecked: true, isDone: true };
    return this.#committing((commit) =>
      importWhole(this.#plan.context, {
        source: () => this.#rows({ from: this.#start }),
        work: (context) => workOf({ ...this.#plan, context }, this.#read),
        stops: true,
        isDry: this.#plan.settings.dryRun,
        maximumTold: 0,
        seal: (tx, { counts }) => commit(tx, { cursor, counts, failed: [] }),
      }),
    );
  }

  #work(): ImportWork {
    const hasTransactions = this.#plan.context.environment.storage.transaction !== undefined;
    return workOf(this.#plan, this.#read, hasTransactions ? undefined : ({ row }) => `${this.#job.id}:${row}`);
  }

  /** Ends with the signal of the job. */
  async *#rows({
    from = this.#cursor,
    chunkRows,
  }: {
    readonly from?: Position;
    readonly chunkRows?: number;
  } = {}): AsyncGenerator<RowChunk, void, undefined> {
    for await (const chunk of fileRows(this.#file, from, this.#reading(chunkRows))) {
      this.#call.signal.throwIfAborted();
      yield chunk;
    }
  }

  #reading(chunkRows?: number): FileReading {
    const { settings, context } = this.#plan;
    const { delimiter, offset } = settings;
    return { delimiter, offset, chunkRows, limits: context.environment.limits, read: (from) => this.#bytes({ start: from, end: this.#file.bytes }) };
  }

  async #bytes(range: ByteRange): Promise<AsyncIterable<Uint8Array>> {
    const { blob } = this.#file;
    const bytes = blob && (await this.#blobs().read(blob.key, range));
    if (bytes === undefined) throw new ProblemError("SOURCE_CHANGED", "The file of the import is not there any more.");
    return bytes;
  }

  #blobs() {
    const { blobs } = this.#plan.context.environment;
    if (blobs === undefined) throw new Error("There is no place for files.");
    return blobs;
  }

  /** Keeps something about where the import stands. */
  #move(change: Partial<ImportCursor>): Promise<void> {
    return this.#commit(undefined, { cursor: { ...this.#cursor, ...change }, counts: this.#counts, failed: [] });
  }

  #commit(tx: Storage | undefined, step: Step): Promise<void> {
    return this.#committing((commit) => commit(tx, step));
  }

  /** A transaction may run again: where the import stands is known once it has committed. */
  async #committing<R>(run: (commit: Commit) => Promise<R>): Promise<R> {
    let last: Step | undefined;
    const result = await run(async (tx, step) => {
      await this.#call.advance(this.#jobs(tx), this.#advanceOf(step));
      last = step;
    });
    if (last !== undefined) {
      this.#counts = last.counts;
      this.#cursor = last.cursor;
    }
    return result;
  }

  #advanceOf({ cursor, counts, failed }: Step): JobAdvance {
    const { offset } = this.#plan.settings;
    return {
      cursor,
      processed: counts.created + counts.updated + counts.skipped + counts.failed,
      total: this.#job.total,
      counts: { ...counts, row: cursor.row, byte: cursor.byte, ...(cursor.isChecked ? { checked: Math.max(0, cursor.row - offset) } : {}) },
      entries: failed.map(importEntry),
    };
  }

  #jobs(tx: Storage | undefined): JobStore {
    if (tx !== undefined && tx.jobs === undefined) throw new Error("The storage keeps jobs, but its transactions do not.");
    const store = tx?.jobs ?? this.#plan.context.environment.jobs?.store;
    if (store === undefined) throw new Error("The storage keeps no jobs.");
    return store;
  }

  /** @throws {ProblemError} TOO_MANY_ERRORS */
  async #judgeErrors(rows: readonly SourceRow[]): Promise<void> {
    const { maxErrors } = this.#plan.settings;
    const { failed } = this.#counts;
    if (failed - (this.#cursor.forgiven ?? 0) <= maxErrors) return;
    await this.#move({ forgiven: failed });
    const row = rows.at(-1)?.row;
    throw new ProblemError("TOO_MANY_ERRORS", `More than ${maxErrors} rows failed; the import ended behind row ${row}.`, { extensions: { row } });
  }
}

/** Where an import stands after something of it was done. */
interface Step {
  readonly cursor: ImportCursor;
  readonly counts: ImportCounts;
  readonly failed: readonly FailedRow[];
}

type Commit = (tx: Storage | undefined, step: Step) => Promise<void>;
