import type { Context } from "../../../engine/operation/context.js";
import type { RunningJob } from "../../../engine/operation/work/runningJob.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { JobAdvance, JobStore } from "../../../ground/storage/queue/jobs.js";
import { jobsOf } from "../../jobs/settings.js";
import { batchSettings } from "../plan/batchSettings.js";
import type { BatchPlan, Portion } from "../plan/plan.js";
import type { BatchSettings } from "../plan/settings.js";
import { answerBatch } from "./answer.js";
import { sliceJournal } from "./journal.js";
import { hasFailed, type ItemResult } from "./results/result.js";
import type { SliceJournal } from "./slices.js";

/** A batch, planned with the rights that its principal has. */
export interface JobTurn {
  readonly context: Context;
  readonly plan: BatchPlan;
}

/**
 * Continues a batch from the cursor of its job. Each slice commits together with the progress of the job, so that no slice is executed twice.
 *
 * @param again plans the rest of the batch before each slice after the first, with the rights of the principal at that time
 * @throws the reason of the job's signal, if the job ends first
 */
export async function runAsJob(running: RunningJob, first: JobTurn, again: (turn: JobTurn) => Promise<JobTurn>): Promise<HttpResponse> {
  const { signal } = running.call;
  const progress = new Progress(first.context, first.plan, running);
  let { cursor } = running.job;
  for (let turn = first; ; turn = await again(turn)) {
    const { context, plan } = turn;
    const portion = await plan.portion(cursor ?? undefined);
    if (portion === undefined) {
      // An earlier attempt recorded the rollback, and its process died before it could finish the job.
      if (plan.mode === "atomic" && (running.job.counts["failed"] ?? 0) > 0) throw rolledBack();
      return answerBatch(plan, [], false);
    }
    let slices = 0;
    // An atomic batch is one slice, however many statements it takes.
    const timeIsOver = () => signal.aborted || (plan.mode === "best-effort" && slices++ > 0);
    const settings: BatchSettings = { ...batchSettings(context), goesOnLater: true, timeIsOver };
    const { kind, results } = await portion.execute({ ...settings, ...progress.of(portion) });
    if (kind === "out-of-time" && signal.aborted) throw signal.reason;
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

/** Records progress in the transaction of the slice. */
class Progress {
  readonly #context: Context;
  readonly #plan: BatchPlan;
  readonly #running: RunningJob;
  /** For a batch under an Idempotency-Key: an earlier attempt of the request may have committed slices after the one where this job began. */
  readonly #earlier: SliceJournal | undefined;
  /** The totals before the slice at `first`, so that a transaction that is retried counts its slice once. */
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
    const store = jobs ?? jobsOf(this.#context.environment)?.store;
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
