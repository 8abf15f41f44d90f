import type { Context } from "../../../engine/operation/context.js";
import { asProblem } from "../../../engine/operation/faults/asProblem.js";
import { reportFault } from "../../../engine/operation/faults/reportFault.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { isOutcomeUnknown } from "../../../engine/operation/transaction/outcomeUnknown.js";
import { monotonicOf } from "../../../ground/clock/monotonicOf.js";
import { type Preferences, parsePrefer } from "../../../ground/http/headers/prefer.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { Retryable, Unavailable } from "../../../ground/storage/errors.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { jobsOf } from "../../jobs/settings.js";
import { batchSettings } from "../plan/batchSettings.js";
import type { BatchPlan } from "../plan/plan.js";
import type { BatchSettings } from "../plan/settings.js";
import { answerBatch } from "./answer.js";
import { failedItem, notProcessedItem } from "./items/failedItem.js";
import { sliceJournal } from "./journal.js";
import { renewedContext } from "./renewedContext.js";
import type { ItemResult } from "./results/result.js";
import { notingRights, type Resources } from "./results/resultRights.js";
import { type JobTurn, runAsJob } from "./runAsJob.js";
import { type CompletedPart, type PlannedBatch, submitBatch } from "./submitBatch.js";

/** One kind of batch. */
export interface BatchKind
  extends Pick<Operation, "name" | "method" | "answers" | "access" | "asksLater" | "body" | "readQuery" | "requiresKey" | "itemName"> {
  /**
   * Parses the request without executing any of it.
   *
   * @returns a response if there is nothing to execute
   * @throws {ProblemError} INVALID_BATCH, EMPTY_BATCH, BATCH_TOO_LARGE, and the problems of the kind
   */
  plan(context: Context, prefer: Preferences): Promise<BatchPlan | HttpResponse>;
  /** The collections whose rows its results may show, as the version of the context shows them. */
  resources(context: Context): Resources;
}

/** The lease of a batch under an Idempotency-Key, in multiples of its time: the last slice begins in time, but may end later. */
const leasePerTime = 4;
/** How long the response to a keyed batch is stored. It may refer to a job, which is stored as long. */
const keptMs = 7 * 24 * 3_600_000;

/** The operation for batches of one kind. */
export function batchOperation({ plan, resources, ...kind }: BatchKind): Operation {
  const operation: Operation = {
    ...kind,
    standsAlone: true,
    vary: "Prefer",
    keyTimes: ({ environment }) => ({
      leaseMs: leasePerTime * environment.limits.batchMs,
      ttlMs: keptMs,
    }),
    async run(given) {
      const context: Context = { ...given, way: "batch" };
      const prefer = parsePrefer(context.headers.get("prefer"));
      const planned = await plan(context, prefer);
      if ("status" in planned) return planned;
      const rights = (own: Context, each: BatchPlan) => notingRights(own, resources(own), each);
      if (context.job !== undefined) {
        const again = async (turn: JobTurn) => planAgain(operation, (renewed) => plan(renewed, prefer), rights, turn);
        return runAsJob(context.job, { context, plan: await rights(context, planned) }, again);
      }
      const isSubmitted = prefer.respondAsync === true && jobsOf(context.environment) !== undefined;
      await countItems(context, operation, planned, isSubmitted);
      return runNow(context, { operation, plan: noting(context, operation, planned), rights }, prefer);
    },
  };
  return operation;
}

/** Plans the rest of a batch with the rights that its principal has now. */
async function planAgain(
  operation: Operation,
  plan: (context: Context) => ReturnType<BatchKind["plan"]>,
  rights: Rights,
  turn: JobTurn,
): Promise<JobTurn> {
  const context = await renewedContext(turn.context, operation);
  if (context === turn.context) return turn;
  const planned = await plan(context);
  if ("status" in planned) throw new Error("A batch that runs as a job was answered before its end.");
  return { context, plan: await rights(context, planned) };
}

/** Makes a plan note what its results show, for the job that stores them. */
type Rights = (context: Context, plan: BatchPlan) => Promise<BatchPlan>;

/** Notes the rows that the answer shows. The operations of a mixed batch note their own. */
function noting({ shown }: Context, { access }: Operation, plan: BatchPlan): BatchPlan {
  const collection = access?.collection;
  if (shown === undefined || collection === undefined) return plan;
  return {
    ...plan,
    show(result) {
      // The first result of an answer: an earlier attempt to make it was rolled back.
      if (result.index === 0) shown.clear();
      const seen = plan.show(result);
      if (seen.data !== undefined) shown.add(collection, seen.id as Id);
      return seen;
    },
  };
}

/** Counts the items against the rate limits. Operations of all kinds are counted when they are executed; in a job, where nothing is counted, when it is submitted. */
async function countItems({ count }: Context, operation: Operation, { total, operations }: BatchPlan, isSubmitted: boolean): Promise<void> {
  if (count === undefined) return;
  if (operations === undefined) return count.items(operation, total ?? Number.POSITIVE_INFINITY);
  if (!isSubmitted) return;
  for (const [each, times] of operations) await count.items(each, times);
}

/** Executes a batch within its time. The rest continues as a job, if the service has jobs. */
async function runNow(
  context: Context,
  batch: PlannedBatch & { readonly rights: Rights },
  { respondAsync, waitSeconds = 0 }: Preferences,
): Promise<HttpResponse> {
  const { plan } = batch;
  const { environment } = context;
  const { clock, limits } = environment;
  const jobs = jobsOf(environment);
  const waitMs = respondAsync && jobs !== undefined ? waitSeconds * 1_000 : limits.batchMs;
  if (waitMs === 0 && jobs !== undefined) return submitBatch(context, jobs, batch);
  // The time of the machine may be set meanwhile.
  const now = monotonicOf(clock);
  const deadlineMs = now() + Math.min(waitMs, limits.batchMs);
  const portion = await plan.portion(undefined);
  if (portion === undefined) return answerBatch(plan, [], false);
  const sealed = sealing(context, plan);
  const { kind, results } = await portion.execute({
    ...batchSettings(context),
    timeIsOver: () => now() >= deadlineMs,
    seal: sealed.seal,
    journal: sliceJournal(context),
    isKeyed: context.operationId !== undefined,
  });
  if (kind === "done") return sealed.response() ?? answerBatch(plan, results, false);
  if (kind === "rolled-back") return answerBatch(plan, results, true);
  return continueAsJob(context, batch, { portion, results, wasAsked: respondAsync === true });
}

/** The time has ended: the rest continues as a job if possible. The results so far are returned in any case. */
async function continueAsJob(
  context: Context,
  { rights, ...batch }: PlannedBatch & { readonly rights: Rights },
  done: CompletedPart,
): Promise<HttpResponse> {
  const { environment, request, requestId } = context;
  const jobs = jobsOf(environment);
  if (jobs === undefined) return unfinished(context, batch.plan, done.results);
  try {
    return await submitBatch(context, jobs, { ...batch, plan: await rights(context, batch.plan) }, done);
  } catch (error) {
    // The next request with the key continues.
    const isContinued = context.operationId !== undefined && (error instanceof Unavailable || error instanceof Retryable);
    if (done.results.length === 0 || isContinued) throw error;
    const problem = asProblem(error);
    reportFault(environment, problem, error, request, requestId);
    // The job may exist, and do the rest.
    const left = isOutcomeUnknown(error) ? failedItem(problem, batchSettings(context).problems) : undefined;
    return unfinished(context, batch.plan, done.results, left);
  }
}

/** The joins of the request commit with an atomic batch, and receive its exact response. */
function sealing({ joins }: Context, plan: BatchPlan) {
  let response: HttpResponse | undefined;
  const seal: NonNullable<BatchSettings["seal"]> = async (tx, results) => {
    response = await answerBatch(plan, results, false);
    for (const join of joins) await join(tx, response);
  };
  return { seal, response: () => response };
}

async function unfinished(
  context: Context,
  plan: BatchPlan,
  results: readonly ItemResult[],
  left: ItemResult = notProcessedItem(batchSettings(context).problems),
): Promise<HttpResponse> {
  if (plan.mode === "atomic") {
    throw new ProblemError("NOT_PROCESSED", "The batch timed out, and nothing was done.", { headers: { "retry-after": "5" } });
  }
  const missing = Array.from({ length: (plan.total ?? results.length) - results.length }, () => left);
  return answerBatch(plan, [...results, ...missing], false);
}
