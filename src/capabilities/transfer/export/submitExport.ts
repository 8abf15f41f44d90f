import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import { jsonBody } from "../../../engine/resource/write/jsonBody.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { JobState } from "../../../ground/storage/queue/jobs.js";
import { acceptedJob } from "../../jobs/answer.js";
import { jobsOf } from "../../jobs/settings.js";
import { storeRequest } from "../../jobs/submit/storedRequest.js";
import { jobIdOf, submitRequest } from "../../jobs/submit/submitRequest.js";
import { blobsOf } from "../blobs.js";
import { readExport } from "./readExport.js";

/** The type of the jobs of exports, and the segment of their paths. */
export const exportJobs = { type: "export", path: "exports" } as const;

/** POST that creates an export as a job. */
export function submitExportOperation(resources: ReadonlyMap<string, LinkedResource>, limits: Limits): Operation {
  return {
    name: "exports.create",
    method: "POST",
    standsAlone: true,
    // The body names the collection.
    access: { action: "list", collection: undefined },
    asksLater: [[...resources.keys()].map((collection) => ({ action: "list", collection }))],
    body: jsonBody(limits),
    run: (context) => submitExport(resources, context),
  };
}

async function submitExport(resources: ReadonlyMap<string, LinkedResource>, context: Context): Promise<HttpResponse> {
  const { environment, principal } = context;
  const jobs = jobsOf(environment);
  const blobs = blobsOf(environment);
  if (jobs === undefined) throw new ProblemError("JOBS_UNSUPPORTED", "This service has no jobs; use GET /<collection>/export instead.");
  if (blobs === undefined) {
    throw new ProblemError("TRANSFER_UNSUPPORTED", "This service does not store files; use GET /<collection>/export instead.");
  }
  await readExport(context, resources);
  const job = {
    id: jobIdOf(context),
    type: exportJobs.type,
    tenant: principal.tenant,
    owner: principal.id,
    input: await storeRequest(context),
  };
  return submitRequest(context, jobs, job, (state) => accepted(context, state));
}

function accepted(context: Context, state: JobState): HttpResponse {
  const { status, headers, body } = acceptedJob(exportJobs, context, state);
  return { status, headers: { ...headers, "cache-control": "no-store" }, body };
}
