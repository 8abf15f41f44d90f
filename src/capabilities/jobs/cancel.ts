import type { Context } from "../../engine/operation/context.js";
import type { Operation } from "../../engine/operation/operation.js";
import { retrying } from "../../engine/operation/work/retry.js";
import type { HttpResponse } from "../../ground/http/message.js";
import { ProblemError } from "../../ground/problem/index.js";
import type { JobState } from "../../ground/storage/queue/jobs.js";
import { answerJob } from "./answer.js";
import { isFinished } from "./document.js";
import { findJob, noSuchJob } from "./findJob.js";
import type { JobKind } from "./kind.js";
import { validateJob } from "./validateJob.js";

/** POST that cancels a job. */
export function cancelJobOperation(kind: JobKind): Operation {
  return {
    name: `${kind.path}.cancel`,
    method: "POST",
    standsAlone: true,
    access: { action: "update", collection: undefined },
    async run(context) {
      const state = await findJob(kind, context);
      validateJob(context, state);
      return (await cancelJob(kind, context, state)) ?? refuse(kind, context);
    },
  };
}

/** DELETE of a job: an unfinished job is canceled and stays readable; a finished job is removed. */
export function removeJobOperation(kind: JobKind): Operation {
  return {
    name: `${kind.path}.remove`,
    method: "DELETE",
    standsAlone: true,
    access: { action: "remove", collection: undefined },
    async run(context) {
      const state = await findJob(kind, context);
      validateJob(context, state);
      return (await cancelJob(kind, context, state)) ?? removeJob(kind, context, state);
    },
  };
}

/** Cancels a job; returns `undefined` if it has already ended. */
async function cancelJob(kind: JobKind, context: Context, state: JobState): Promise<HttpResponse | undefined> {
  if (isFinished(state)) return undefined;
  const answer = await retrying(() => kind.settings.store.cancel(state.id), context.environment);
  if (answer === "finished") return undefined;
  // A job that was released, or waits for its next attempt, is due now: its end is recorded by a worker.
  if (answer === "requested") kind.settings.wake();
  const canceled = await findJob(kind, context);
  // While it was queued: no worker will end it. A job that was reopened keeps its data.
  if (answer === "canceled" && !canceled.resumable) await kind.discard?.(canceled);
  return answerJob(kind, context, canceled, { status: 202 });
}

async function removeJob(kind: JobKind, { environment }: Context, state: JobState): Promise<HttpResponse> {
  if (!(await retrying(() => kind.settings.store.remove(state.id), environment))) throw noSuchJob(kind, state.id);
  await kind.discard?.(state);
  return { status: 204, headers: {}, body: null };
}

async function refuse(kind: JobKind, context: Context): Promise<never> {
  const { status } = await findJob(kind, context);
  throw new ProblemError("JOB_FINISHED", `The job is ${status}; only one that is queued or processing can be canceled.`);
}
