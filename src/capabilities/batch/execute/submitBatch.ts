import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { JobState, NewJob } from "../../../ground/storage/queue/jobs.js";
import { acceptedJob } from "../../jobs/answer.js";
import type { JobSettings } from "../../jobs/settings.js";
import { requestInput } from "../../jobs/submit/sealedRequest.js";
import { jobIdOf, submitRequest } from "../../jobs/submit/submitRequest.js";
import type { BatchPlan, Portion } from "../plan/plan.js";
import { preferenceHeaders } from "./answer.js";
import { hasFailed, type ItemResult } from "./results/result.js";

/** A batch that was parsed, and its operation. */
export interface PlannedBatch {
  readonly operation: Operation;
  readonly plan: BatchPlan;
}

/** The results of a batch before it continues as a job. */
export interface CompletedPart {
  readonly portion: Portion;
  readonly results: readonly ItemResult[];
  /** Whether the client sent `Prefer: respond-async`. */
  readonly wasAsked: boolean;
}

/** The type of jobs of batches, and the segment of their paths. */
export const batchJobs = { type: "batch", path: "batches" } as const;

/**
 * Creates a job that continues the batch after its request.
 *
 * @param operation the operation of the batch
 * @param done the results so far
 * @throws {ProblemError} TOO_MANY_JOBS
 */
export async function submitBatch(
  context: Context,
  settings: JobSettings,
  { operation, plan }: PlannedBatch,
  done?: CompletedPart,
): Promise<HttpResponse> {
  const applied = { applied: done?.wasAsked === false ? plan.applied : [...plan.applied, "respond-async"] };
  // A batch that has begun must be finished, even if the principal already has the most jobs.
  const room = { isBegun: done !== undefined };
  return submitRequest(
    context,
    settings,
    await jobOf(context, settings, { operation, plan }, done),
    (state) => acceptedBatch(context, state, applied),
    room,
  );
}

async function jobOf(context: Context, settings: JobSettings, { operation, plan }: PlannedBatch, done: CompletedPart | undefined): Promise<NewJob> {
  const { principal, environment } = context;
  const id = jobIdOf(context);
  const isSealed = settings.hasWriteOnly(collectionsOf(operation, plan), environment.version?.name);
  const { results = [], portion } = done ?? {};
  const failed = results.filter(hasFailed).length;
  return {
    id,
    type: batchJobs.type,
    tenant: principal.tenant,
    owner: principal.id,
    input: await requestInput(context, { jobId: id, isSealed }),
    ...(results.length === 0 ? {} : { cursor: portion?.cursorAfter(results.length - 1) }),
    progress: { processed: results.length, total: plan.total, counts: { succeeded: results.length - failed, failed } },
    entries: results.map((result, index) => ({ position: index, value: plan.keep({ index, ...result }) })),
  };
}

/** The collections that a batch names; `undefined` if one of its operations cannot be found, so that its body may belong to any. */
function collectionsOf({ access }: Operation, { operations, total }: BatchPlan): readonly string[] | undefined {
  const named = operations === undefined ? [access] : [...operations.keys()].map((each) => each.access);
  const found = operations === undefined ? total : [...operations.values()].reduce((sum, times) => sum + times, 0);
  return found === total ? named.flatMap((each) => each?.collection ?? []) : undefined;
}

function acceptedBatch(context: Context, state: JobState, applied: Pick<BatchPlan, "applied">): HttpResponse {
  const { status, headers, body } = acceptedJob(batchJobs, context, state);
  return { status, headers: { ...headers, ...preferenceHeaders(applied) }, body };
}
