import { randomInt } from "node:crypto";
import type { HttpResponse } from "../http/message.js";
import { acceptedJob } from "../jobs/answer.js";
import { storeRequest } from "../jobs/storedRequest.js";
import { submitRequest } from "../jobs/submitRequest.js";
import type { Limits } from "../limits/limits.js";
import type { Context } from "../operation/context.js";
import { type Keepable, keepable } from "../operation/keepable.js";
import type { Operation } from "../operation/operation.js";
import { ProblemError } from "../problem/index.js";
import type { LinkedResource } from "../resource/link.js";
import type { NewJob } from "../storage/jobs.js";
import { blobTarget } from "./blobTarget.js";
import { fileKey } from "./fileKey.js";
import { positionCounts } from "./importAdvance.js";
import { importBody, type ReceivedImport, readImport, receiveImportFile } from "./importBody.js";
import { columnsEntry, importColumns } from "./importEntry.js";
import type { ImportInput } from "./importHandler.js";
import { importJobs } from "./importJobs.js";
import { type ImportPlan, targetOf } from "./importPlan.js";
import { beginning } from "./rows.js";
import { lookUpFile } from "./sameFile.js";

/** A file in its blob, for a job that is still to be made. */
export interface ImportInBlob extends ReceivedImport, Keepable {
  readonly jobId: string;
}

/** POST of a file that is imported behind the request: to `/imports`, and to `/jobs/import`. */
export function submitImportOperation(name: string, resources: ReadonlyMap<string, LinkedResource>, limits: Limits): Operation {
  return {
    name,
    method: "POST",
    safety: "unsafe",
    standsAlone: true,
    access: { action: "create", collection: undefined },
    keyTimes: () => importKeyTimes,
    body: importBody(limits, async (context) => receiveInBlob(await readImport(context, resources))),
    run: (context) => submitImport(context, context.received as ImportInBlob),
  };
}

/** Two files of one job meet by chance in one of so many cases. */
const highestNumber = 2 ** 48 - 1;

/** How long the answer to a request that makes an import is kept: as long as its job is there, so that no other is made under the same key. */
export const importKeyTimes = { ttlMs: 8 * 24 * 3_600_000 };

/**
 * Takes the file of an import to where a job finds it.
 *
 * @throws {ProblemError} TRANSFER_UNSUPPORTED, JOBS_UNSUPPORTED, IMPORT_TOO_LARGE
 */
export async function receiveInBlob(plan: ImportPlan): Promise<ImportInBlob> {
  const { environment, keyId } = plan.context;
  const { blobs, jobs, limits, ids, secrets, logger } = environment;
  if (jobs === undefined) throw new ProblemError("JOBS_UNSUPPORTED", "The storage keeps no jobs: files can only be imported at once.");
  if (blobs === undefined) throw new ProblemError("TRANSFER_UNSUPPORTED", "There is no place for files: they can only be imported at once.");
  // Known before the operation is: the key of the blob names its job.
  const jobId = keyId === undefined ? ids.uuid() : secrets.sign("job", `import ${keyId}`);
  const key = fileKey("import", jobId, randomInt(highestNumber));
  const file = await receiveImportFile(plan, { limitBytes: limits.importBytes, tooLarge, target: await blobTarget(blobs, key), key });
  const drop = async () => {
    await blobs.delete(key).catch((error: unknown) => logger.warn({ err: error }, "A file that nobody needs could not be removed."));
  };
  return { plan, file, jobId, fingerprint: file.sha256, ...keepable(drop) };
}

function tooLarge(maximum: number): ProblemError {
  return new ProblemError("IMPORT_TOO_LARGE", `The file is larger than ${maximum} bytes.`, { extensions: { maximum } });
}

/** Makes the job of an import. @throws {ProblemError} TOO_MANY_JOBS, IMPORT_TOO_LARGE */
export async function submitImport(context: Context, received: ImportInBlob): Promise<HttpResponse> {
  const { plan, file, jobId } = received;
  const { settings, resource } = plan;
  const { jobs, limits } = context.environment;
  if (jobs === undefined) throw new Error("The file of an import was received, but there are no jobs.");
  if (settings.onError === "stop" && file.rows > limits.importStopRows) throw tooManyRows(file.rows, limits.importStopRows);
  const input: ImportInput = { collection: resource.name, settings, file };
  const job: NewJob = {
    id: jobId,
    type: importJobs.type,
    tenant: context.principal.tenant,
    owner: context.principal.id,
    input: storeRequest({ ...context, body: input }),
    entries: [columnsEntry(importColumns(settings, file.header?.names, [...targetOf(plan).fields.keys()]))],
    progress: { processed: 0, total: Math.max(0, file.rows - settings.offset), counts: positionCounts(settings, file.header?.next ?? beginning) },
  };
  // An earlier try of the request may have made it, of a file of its own.
  const isMade = context.keyId !== undefined && (await jobs.store.get(jobId)) !== undefined;
  // What is only tried was not imported.
  const known = settings.dryRun ? undefined : await lookUpFile(context, resource.name, file, jobId);
  const warnings = known?.earlier === undefined ? {} : { warnings: [{ code: "SAME_FILE", importId: known.earlier }] };
  try {
    const answer = await submitRequest(context, jobs, job, (state) => withMembers(acceptedJob(importJobs, context, state), warnings));
    if (!isMade) received.keep();
    await known?.remember();
    return answer;
  } catch (error) {
    await known?.forget();
    throw error;
  }
}

function tooManyRows(rows: number, maximum: number): ProblemError {
  const detail = `The file has ${rows} rows; all or none can be imported of at most ${maximum}. Send "onError=continue" to import more.`;
  return new ProblemError("IMPORT_TOO_LARGE", detail, { extensions: { maximum } });
}

function withMembers(response: HttpResponse, members: Readonly<Record<string, unknown>>): HttpResponse {
  if (Object.keys(members).length === 0 || typeof response.body !== "string") return response;
  return { ...response, body: JSON.stringify({ ...(JSON.parse(response.body) as object), ...members }) };
}
