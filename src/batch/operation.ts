import type { HttpResponse } from "../http/message.js";
import { type Preferences, parsePrefer } from "../http/prefer.js";
import { asProblem } from "../operation/asProblem.js";
import type { Context } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import { reportFault } from "../operation/reportFault.js";
import { ProblemError } from "../problem/index.js";
import { answerBatch } from "./answer.js";
import { batchSettings } from "./batchSettings.js";
import { notProcessedItem } from "./failedItem.js";
import { sliceJournal } from "./journal.js";
import type { BatchPlan } from "./plan.js";
import type { ItemResult } from "./result.js";
import { runAsJob } from "./runAsJob.js";
import type { BatchSettings } from "./settings.js";
import { type BatchSoFar, submitBatch } from "./submitBatch.js";

/** A batch of one kind. */
export interface BatchKind extends Pick<Operation, "name" | "method" | "safety" | "access" | "body" | "requiresKey"> {
  /**
   * Understands the request, without doing anything of it.
   *
   * @returns the answer where nothing is to be done
   * @throws {ProblemError} INVALID_BATCH, EMPTY_BATCH, BATCH_TOO_LARGE, and what the kind adds
   */
  plan(context: Context, prefer: Preferences): Promise<BatchPlan | HttpResponse>;
}

/** A batch under an Idempotency-Key may take so many times its time before another try takes it over: its last slice begins in time, and may end late. */
const leasePerTime = 4;
/** How long the answer to one is kept: any may go on as a job, which is there as long. */
const keptMs = 7 * 24 * 3_600_000;

/** The operation that does batches of a kind. */
export function batchOperation({ plan, ...operation }: BatchKind): Operation {
  return {
    ...operation,
    standsAlone: true,
    vary: "Prefer",
    keyTimes: ({ environment }) => ({
      leaseMs: leasePerTime * environment.limits.batchMs,
      ttlMs: keptMs,
    }),
    async run(context) {
      const prefer = parsePrefer(context.headers.get("prefer"));
      const planned = await plan(context, prefer);
      if ("status" in planned) return planned;
      return context.job === undefined ? runNow(context, planned, prefer) : runAsJob(context, planned, context.job);
    },
  };
}

/** Does a batch within its time; what is left then goes on as a job where there are jobs. */
async function runNow(context: Context, plan: BatchPlan, { respondAsync, waitSeconds = 0 }: Preferences): Promise<HttpResponse> {
  const { environment } = context;
  const { clock, limits, jobs } = environment;
  const waitMs = respondAsync && jobs !== undefined ? waitSeconds * 1_000 : limits.batchMs;
  if (waitMs === 0 && jobs !== undefined) return submitBatch(context, jobs, plan);
  const deadlineMs = clock.now() + Math.min(waitMs, limits.batchMs);
  const portion = await plan.portion(undefined);
  if (portion === undefined) return answerBatch(plan, [], false);
  const sealed = sealing(context, plan);
  const { kind, results } = await portion.execute({
    ...batchSettings(context),
    timeIsOver: () => clock.now() >= deadlineMs,
    seal: sealed.seal,
    journal: sliceJournal(context),
  });
  if (kind === "done") return sealed.response() ?? answerBatch(plan, results, false);
  if (kind === "rolled-back") return answerBatch(plan, results, true);
  return goOn(context, plan, { portion, results, wasAsked: respondAsync === true });
}

/** The time is over: what is left goes on as a job where it can. What has been done is answered in any case. */
async function goOn(context: Context, plan: BatchPlan, done: BatchSoFar): Promise<HttpResponse> {
  const { environment, request, requestId } = context;
  if (environment.jobs === undefined) return unfinished(context, plan, done.results);
  try {
    return await submitBatch(context, environment.jobs, plan, done);
  } catch (error) {
    if (done.results.length === 0) throw error;
    reportFault(environment, asProblem(error), error, request, requestId);
    return unfinished(context, plan, done.results);
  }
}

/** What joins the batch commits with it where it is atomic, and with it the very answer. */
function sealing({ joins }: Context, plan: BatchPlan) {
  let response: HttpResponse | undefined;
  const seal: NonNullable<BatchSettings["seal"]> = async (tx, results) => {
    response = answerBatch(plan, results, false);
    for (const join of joins) await join(tx, response);
  };
  return { seal, response: () => response };
}

function unfinished(context: Context, plan: BatchPlan, results: readonly ItemResult[]): HttpResponse {
  if (plan.mode === "atomic") {
    throw new ProblemError("NOT_PROCESSED", "The time for the batch was over, and nothing was done.", { headers: { "retry-after": "5" } });
  }
  const left = notProcessedItem(batchSettings(context).problems);
  const missing = Array.from({ length: (plan.total ?? results.length) - results.length }, () => left);
  return answerBatch(plan, [...results, ...missing], false);
}
