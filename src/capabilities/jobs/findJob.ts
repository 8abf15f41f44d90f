import type { Context } from "../../engine/operation/context.js";
import { ProblemError } from "../../ground/problem/index.js";
import type { JobState } from "../../ground/storage/queue/jobs.js";
import { isStorable } from "../../ground/storage/values/isStorable.js";
import { maySee } from "../../parts/auth/maySee.js";
import type { JobKind } from "./kind.js";

/**
 * Returns the job in the path, if the principal may see it.
 *
 * @throws {ProblemError} NOT_FOUND, with the same text whether the job is missing, of another kind, or owned by another principal
 */
export async function findJob(kind: JobKind, context: Context): Promise<JobState> {
  const state = await lookForJob(kind, context);
  if (state === undefined) throw noSuchJob(kind, idOf(context));
  return state;
}

/** Returns the job in the path; `undefined` if it is missing or the principal may not see it. */
export async function lookForJob(kind: JobKind, context: Context): Promise<JobState | undefined> {
  const id = idOf(context);
  const state = isStorable(id) ? await kind.settings.store.get(id) : undefined;
  return state !== undefined && [kind.type].flat().includes(state.type) && maySee(state, context.principal, kind.settings) ? state : undefined;
}

export function noSuchJob({ path }: JobKind, id: string): ProblemError {
  return new ProblemError("NOT_FOUND", `There is no "${id.slice(0, 64)}" in "${path}".`);
}

function idOf({ params }: Context): string {
  return params[0] ?? "";
}
