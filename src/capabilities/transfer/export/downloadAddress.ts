import type { Environment } from "../../../engine/operation/environment.js";
import type { JobState } from "../../../ground/storage/queue/jobs.js";
import { windowEnd } from "../../../parts/blobs/addressWindow.js";
import { signUrl, verifySignedUrl } from "../../../parts/blobs/signedUrl.js";
import { exportJobs } from "./submitExport.js";

type Owned = Pick<JobState, "id" | "tenant" | "owner">;

/** A signed path, below the mount, that downloads the file of an export without credentials. */
export function signDownload(environment: Pick<Environment, "clock" | "secrets">, job: Owned): string {
  return signUrl(environment.secrets, useOf(job), windowEnd(environment.clock.now()));
}

/**
 * Checks the signature of a download's query.
 *
 * @throws {ProblemError} INVALID_SIGNATURE if it is not valid for this file, or has expired
 */
export function verifyDownload({ clock, secrets }: Pick<Environment, "clock" | "secrets">, job: Owned, query: string): void {
  verifySignedUrl(secrets, useOf(job), query, clock.now());
}

/** Includes the owner: after a job is removed its id may be used again, and an old signature must not open another owner's file. */
function useOf({ id, tenant, owner }: Owned) {
  return { method: "GET", path: `/${exportJobs.path}/${encodeURIComponent(id)}/download`, owner: JSON.stringify([tenant ?? null, owner]) };
}
