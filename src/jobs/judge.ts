import { strongTag } from "../conditional/etag.js";
import { checkPreconditions } from "../conditional/precondition.js";
import type { Context } from "../operation/context.js";
import { ProblemError } from "../problem/index.js";
import type { JobState } from "../storage/jobs.js";

/**
 * Judges the preconditions of a request for a job.
 *
 * @param view what a representation of it depends on besides its state
 * @returns the tag of the job, and whether the client has this state of it already
 * @throws {ProblemError} PRECONDITION_FAILED, MALFORMED_HEADER
 */
export function judgeJob(
  { request, headers }: Context,
  { version }: JobState,
  view?: string | undefined,
): { readonly etag: string; readonly isKnown: boolean } {
  const etag = strongTag(version, view);
  const judged = checkPreconditions({ method: request.method, headers, current: { tag: etag, updatedAt: undefined } });
  if (judged !== "failed") return { etag, isKnown: judged === "not-modified" };
  throw new ProblemError("PRECONDITION_FAILED", "The job is not in the state that the request asks for.", { headers: { etag } });
}
