import type { Host } from "../../../engine/capability/host.js";
import type { Environment } from "../../../engine/operation/environment.js";
import { readableRows } from "../../../engine/operation/rules/readableRows.js";
import { scopeTag } from "../../../engine/operation/rules/scopeTag.js";
import type { RenewedPrincipal } from "../../../engine/operation/work/renewedPrincipal.js";
import { countTotal } from "../../../engine/resource/read/count.js";
import type { BlobStore } from "../../../ground/storage/files/blobs.js";
import type { JobStore } from "../../../ground/storage/queue/jobs.js";
import type { JobHandler } from "../../jobs/run/handler.js";
import { type JobContext, jobContext } from "../../jobs/run/jobContext.js";
import { fileKey, removeFiles } from "../jobFiles.js";
import { exportEncoder } from "./exportEncoder.js";
import type { ExportFile } from "./exportFile.js";
import { ExportProgress } from "./exportProgress.js";
import { exportRows } from "./exportRows.js";
import { readExport } from "./readExport.js";
import { readRows } from "./readRows.js";
import { exportJobs } from "./submitExport.js";
import { writeFile } from "./writeFile.js";

/**
 * Runs the jobs of exports: writes all rows of a snapshot into one file. After an interruption the next attempt begins at the first row.
 *
 * @param resourcesIn the exportable resources of a version
 */
export function exportHandler(
  resourcesIn: Host["resourcesIn"],
  environment: Environment,
  { blobs, jobs }: { readonly blobs: BlobStore; readonly jobs: JobStore },
): JobHandler {
  return {
    type: exportJobs.type,
    async run(job, call) {
      // Removes what earlier attempts wrote: a dead worker leaves its file behind, and a worker that lost its lease must not complete its own.
      if (job.lease.fence > 1) await removeFiles(blobs, "export", job.id);
      return { status: "completed", result: await exportFile(resourcesIn, { blobs, jobs }, await jobContext(environment, job, call)) };
    },
  };
}

async function exportFile(
  resourcesIn: Host["resourcesIn"],
  { blobs, jobs }: { readonly blobs: BlobStore; readonly jobs: JobStore },
  given: JobContext,
): Promise<ExportFile> {
  const { job, call, principal } = given.job;
  const version = given.environment.version?.name;
  const { context, plan, gzip } = await readExport(given, resourcesIn(version));
  const { linked, filter, view } = plan;
  const allowed = await context.scopes?.ask(linked.name, "read", "before");
  const counted = await countTotal(await readableRows(context, linked.name), context, filter, { mode: "estimated" });
  const progress = new ExportProgress(context.environment, jobs, given.job, counted.totalRelation === "eq" ? counted.total : null);
  const encoder = exportEncoder(plan);
  const key = fileKey("export", job.id, job.lease.fence);
  const contentType = gzip ? "application/gzip" : encoder.contentType;
  const text = exportRows({ rows: progress.counted(whileKnown(principal, readRows(context, plan))), encoder });
  const written = await writeFile(blobs, key, text, { contentType, gzip, signal: call.signal });
  try {
    await progress.end();
  } catch (error) {
    await blobs.delete(key).catch(() => undefined);
    throw error;
  }
  return {
    key,
    name: `${linked.name}.${encoder.extension}${gzip ? ".gz" : ""}`,
    contentType,
    rows: progress.rows,
    ...written,
    collection: linked.name,
    fields: [...view.names],
    scope: allowed && scopeTag(allowed),
    version,
  };
}

/** Ends the export if its principal is removed while it runs. */
async function* whileKnown<Batch>(principal: RenewedPrincipal, rows: AsyncIterable<Batch>): AsyncGenerator<Batch, void, void> {
  for await (const batch of rows) {
    await principal.current();
    yield batch;
  }
}
