import type { ClaimRequest, JobState } from "../../src/ground/storage/queue/jobs.js";

/** Orders jobs by tenant, beginning with the tenant after the given one; jobs of one tenant keep their order. */
export function inTurns<T extends Pick<JobState, "tenant">>(jobs: readonly T[], after: ClaimRequest["after"]): readonly T[] {
  const lapOf = (tenant: string) => (after === undefined || tenant > (after.tenant ?? "") ? 0 : 1);
  return jobs.toSorted(({ tenant: left = "" }, { tenant: right = "" }) => lapOf(left) - lapOf(right) || (left < right ? -1 : Number(left > right)));
}
