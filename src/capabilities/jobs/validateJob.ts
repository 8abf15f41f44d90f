import type { Context } from "../../engine/operation/context.js";
import { ProblemError } from "../../ground/problem/index.js";
import type { JobState } from "../../ground/storage/queue/jobs.js";
import { strongTag } from "../../language/conditional/etag.js";
import { checkPreconditions } from "../../language/conditional/precondition.js";

/**
 * Checks the preconditions of a request for a job.
 *
 * @param view what the representation depends on in addition to the state
 * @returns the job's ETag, and whether the client already has this state
 * @throws {ProblemError} PRECONDITION_FAILED, MALFORMED_HEADER
 */
export function validateJob(
  { request, headers }: Context,
  { version }: JobState,
  view?: string | undefined,
): { readonly etag: string; readonly isKnown: boolean } {
  const etag = strongTag(version, view);
  const validated = checkPreconditions({ method: request.method, headers, current: { tag: etag, updatedAt: undefined } });
  if (validated !== "failed") return { etag, isKnown: validated === "not-modified" };
  throw new ProblemError("PRECONDITION_FAILED", "The job is not in the state that the request requires.", { headers: { etag } });
}
