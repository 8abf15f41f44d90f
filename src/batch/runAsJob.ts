import type { HttpResponse } from "../http/message.js";
import type { Context, RunningJob } from "../operation/context.js";
import { ProblemError } from "../problem/index.js";
import type { JobAdvance, JobStore } from "../storage/jobs.js";
import { answerBatch } from "./answer.js";
import { batchSettings } from "./batchSettings.js";
import { sliceJournal } from "./journal.js";
import type { BatchPlan, Portion } from "./plan.js";
import { hasFailed, type ItemResult } from "./result.js";
import type { BatchSettings } from "./settings.js";
import type { SliceJournal } from "./slices.js";

/**
 * Goes on with a batch where its job stands. Each slice commits with the job's progress, so that none is done twice.
 *
 * @throws the reason of the job's signal where it ends first
 */
export async function runAsJob(context: Context, plan: BatchPlan, running: RunningJob): Promise<HttpResponse> {
  const progress = new Progress(context, plan, running);
  const settings: BatchSettings = { ...batchSettings(context), goesOnLater: true, timeIsOver: () => running.call.signal.aborted };
  let { cursor } = running.job;
  for (;;) {
    const portion = await plan.portion(cursor ?? undefined);
    if (portion === undefined) {
      // An earlier try wrote down that it was rolled back, and died.
      if (plan.mode === "atomic" && (running.job.counts["failed"] ?? 0) > 0) throw rolledBack();
      return answerBatch(plan, [], false);
    }
    const { kind, results } = await portion.execute({ ...settings, ...progress.of(portion) });
    if (kind === "out-of-time") throw running.call.signal.reason;
    if (kind === "rolled-back") {
      await progress.advance(undefined, portion, results, portion.first);
      throw rolledBack();
    }
    cursor = portion.cursorAfter(portion.first + results.length - 1);
  }
}

function rolledBack(): ProblemError {
  return new ProblemError("ROLLED_BACK", "An item of the atomic batch failed, so nothing was done.");
}

/** Writes down what has been done, in the transaction that did it. */
class Progress {
  readonly #context: Context;
  readonly #plan: BatchPlan;
  readonly #running: RunningJob;
  /** Of a batch under an Idempotency-Key: an earlier try of the request may have done slices behind the place where this job began. */
  readonly #earlier: SliceJournal | undefined;
  /** What the slices before the one at `first` have come to; a transaction that is run again counts its slice once. */
  #counted: { readonly first: number; readonly failed: number; readonly before: number };

  constructor(context: Context, plan: BatchPlan, running: RunningJob) {
    this.#context = context;
    this.#plan = plan;
    this.#running = running;
    this.#earlier = context.operationId === running.job.id ? undefined : sliceJournal(context);
    this.#counted = { first: -1, failed: 0, before: running.job.counts["failed"] ?? 0 };
  }

  of(portion: Portion): Pick<BatchSettings, "journal" | "seal"> {
    return {
      journal: {
        recall: async (tx, first) => {
          const known = await this.#earlier?.recall(tx, first);
          if (known !== undefined) await this.advance(tx.jobs, portion, known, first);
          return known;
        },
        keep: async (tx, first, results) => {
          await this.#earlier?.keep(tx, first, results);
          if (tx !== undefined && tx.jobs === undefined) throw new Error("The storage keeps jobs, but its transactions do not.");
          await this.advance(tx?.jobs, portion, results, first);
        },
        keepFailed: (index, result) => this.advance(undefined, portion, [result], index),
      },
      seal: (tx, results) => this.advance(tx.jobs, portion, results, portion.first),
    };
  }

  async advance(jobs: JobStore | undefined, portion: Portion, results: readonly ItemResult[], first: number): Promise<void> {
    const store = jobs ?? this.#context.environment.jobs?.store;
    if (store === undefined || results.length === 0) return;
    const last = first + results.length - 1;
    const failed = this.#failed(first, results);
    const advance: JobAdvance = {
      cursor: portion.cursorAfter(last),
      processed: last + 1,
      total: this.#plan.total,
      counts: { succeeded: last + 1 - failed, failed },
      entries: results.map((result, offset) => ({ position: first + offset, value: this.#plan.keep({ index: first + offset, ...result }) })),
    };
    await this.#running.call.advance(store, advance);
  }

  #failed(first: number, results: readonly ItemResult[]): number {
    const own = results.filter(hasFailed).length;
    const before = first === this.#counted.first ? this.#counted.before : this.#counted.before + this.#counted.failed;
    this.#counted = { first, failed: own, before };
    return before + own;
  }
}
