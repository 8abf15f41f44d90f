import type { HttpResponse } from "../http/message.js";
import { acceptedJob } from "../jobs/answer.js";
import { storeRequest } from "../jobs/storedRequest.js";
import { jobIdOf, submitRequest } from "../jobs/submitRequest.js";
import type { Limits } from "../limits/limits.js";
import type { Context } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import { ProblemError } from "../problem/index.js";
import { jsonBody } from "../resource/jsonBody.js";
import type { LinkedResource } from "../resource/link.js";
import type { JobState } from "../storage/jobs.js";
import { readExport } from "./readExport.js";

/** Type of the jobs of exports, and the segment of their paths. */
export const exportJobs = { type: "export", path: "exports" } as const;

/** POST that has a file written, as a job. */
export function submitExportOperation(resources: ReadonlyMap<string, LinkedResource>, limits: Limits): Operation {
  return {
    name: "exports.create",
    method: "POST",
    safety: "unsafe",
    standsAlone: true,
    // Which collection it is about stands in the body.
    access: { action: "list", collection: undefined },
    body: jsonBody(limits),
    run: (context) => submitExport(resources, context),
  };
}

async function submitExport(resources: ReadonlyMap<string, LinkedResource>, context: Context): Promise<HttpResponse> {
  const { environment, principal } = context;
  const { jobs, blobs } = environment;
  if (jobs === undefined) throw new ProblemError("JOBS_UNSUPPORTED", "The storage keeps no jobs; GET the export of the collection itself.");
  if (blobs === undefined) {
    throw new ProblemError("TRANSFER_UNSUPPORTED", "The service has no place for files; GET the export of the collection itself.");
  }
  await readExport(context, resources);
  const job = {
    id: jobIdOf(context),
    type: exportJobs.type,
    tenant: principal.tenant,
    owner: principal.id,
    input: storeRequest(context),
  };
  return submitRequest(context, jobs, job, (state) => accepted(context, state));
}

function accepted(context: Context, state: JobState): HttpResponse {
  const { status, headers, body } = acceptedJob(exportJobs, context, state);
  return { status, headers: { ...headers, "cache-control": "no-store" }, body };
}
