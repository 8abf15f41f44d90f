import { windowEnd } from "../blobs/addressWindow.js";
import { signUrl, verifySignedUrl } from "../blobs/signedUrl.js";
import type { Environment } from "../operation/environment.js";
import type { JobState } from "../storage/jobs.js";
import { exportJobs } from "./submitExport.js";

type Owned = Pick<JobState, "id" | "tenant" | "owner">;

/** The path, below the mount, at which the file of an export can be had without credentials. */
export function signDownload(environment: Pick<Environment, "clock" | "secrets">, job: Owned): string {
  return signUrl(environment.secrets, useOf(job), windowEnd(environment.clock.now()));
}

/**
 * Refuses a query that is not such an address of the file, or not any more.
 *
 * @throws {ProblemError} INVALID_SIGNATURE
 */
export function verifyDownload({ clock, secrets }: Pick<Environment, "clock" | "secrets">, job: Owned, query: string): void {
  verifySignedUrl(secrets, useOf(job), query, clock.now());
}

/** An id may come again once its job has been removed: what was signed for one owner is not for another. */
function useOf({ id, tenant, owner }: Owned) {
  return { method: "GET", path: `/${exportJobs.path}/${encodeURIComponent(id)}/download`, owner: JSON.stringify([tenant ?? null, owner]) };
}
