import { randomInt } from "node:crypto";
import type { Context } from "../../../../engine/operation/context.js";
import { type Keepable, keepable } from "../../../../engine/operation/keepable.js";
import { type Access, type Operation, parsesQuery } from "../../../../engine/operation/operation.js";
import type { LinkedResource } from "../../../../engine/resource/relations/link.js";
import type { HttpResponse, ResponseHeaders } from "../../../../ground/http/message.js";
import type { Limits } from "../../../../ground/limits/limits.js";
import { ProblemError } from "../../../../ground/problem/index.js";
import type { JobState, NewJob } from "../../../../ground/storage/queue/jobs.js";
import { acceptedJob } from "../../../jobs/answer.js";
import { jobsOf } from "../../../jobs/settings.js";
import { requestInput } from "../../../jobs/submit/sealedRequest.js";
import { submitRequest } from "../../../jobs/submit/submitRequest.js";
import { blobsOf } from "../../blobs.js";
import { fileKey } from "../../jobFiles.js";
import { beginning } from "../../rows.js";
import { blobTarget } from "../file/blobTarget.js";
import { sealedTarget } from "../file/sealedTarget.js";
import { positionCounts } from "../job/importCheckpoint.js";
import { columnsEntry, importColumns } from "../job/importEntry.js";
import type { ImportInput } from "../job/importHandler.js";
import { importBody, type ReceivedImport, readImport, receiveImportFile } from "./importBody.js";
import { importJobs } from "./importKind.js";
import { type ImportPlan, targetOf } from "./importPlan.js";
import { lookUpFile } from "./sameFile.js";

/** A file in its blob, before its job is created. */
export interface ImportInBlob extends ReceivedImport, Keepable {
  readonly jobId: string;
}

/** Imports insert rows, or update those that exist: which of both, only the request says. */
export function importQuestions(collection: string): readonly Access[] {
  return [
    { action: "create", collection },
    { action: "update", collection },
  ];
}

/** POST of a file that is imported by a job: to `/imports`, and to `/jobs/import`. */
export function submitImportOperation(name: string, resources: ReadonlyMap<string, LinkedResource>, limits: Limits): Operation {
  return {
    name,
    method: "POST",
    standsAlone: true,
    access: { action: "create", collection: undefined },
    asksLater: [[...resources.keys()].flatMap(importQuestions)],
    readQuery: parsesQuery,
    keyTimes: () => importKeyTimes,
    body: importBody(limits, async (context) => receiveInBlob(await readImport(context, resources))),
    run: (context) => submitImport(context, context.received as ImportInBlob),
  };
}

/** The file number is random below this, so that two files of one job practically never share a key. */
const maxFileNumber = 2 ** 48 - 1;

/** The response to an import is replayed for as long as its job exists, so that one idempotency key creates one job. */
export const importKeyTimes = { ttlMs: 8 * 24 * 3_600_000 };

/**
 * Stores the file of an import for its job.
 *
 * @throws {ProblemError} TRANSFER_UNSUPPORTED, JOBS_UNSUPPORTED, IMPORT_TOO_LARGE
 */
export async function receiveInBlob(plan: ImportPlan): Promise<ImportInBlob> {
  const { environment, keyId } = plan.context;
  const { limits, ids, secrets, logger } = environment;
  const jobs = jobsOf(environment);
  const blobs = blobsOf(environment);
  if (jobs === undefined) throw new ProblemError("JOBS_UNSUPPORTED", "This service has no jobs; send the file to POST /<collection>/import instead.");
  if (blobs === undefined)
    throw new ProblemError("TRANSFER_UNSUPPORTED", "This service does not store files; send the file to POST /<collection>/import instead.");
  // The id is needed before the job exists, as it is part of the blob's key.
  const jobId = keyId === undefined ? ids.uuid() : secrets.sign("job", `import ${keyId}`);
  const key = fileKey("import", jobId, randomInt(maxFileNumber));
  const isSealed = jobs.hasWriteOnly([plan.resource.name], environment.version?.name);
  const blob = await blobTarget(blobs, key);
  const target = isSealed ? sealedTarget(blob, key, secrets) : blob;
  const file = await receiveImportFile(plan, { limitBytes: limits.importBytes, tooLarge, target, key });
  const drop = async () => {
    await blobs
      .delete(key)
      .catch((error: unknown) => logger.warn({ err: error }, "The file of a refused import could not be removed; the sweep will remove it."));
  };
  return { plan, file, jobId, fingerprint: file.sha256, ...keepable(drop) };
}

function tooLarge(maximum: number): ProblemError {
  return new ProblemError("IMPORT_TOO_LARGE", `The file is larger than ${maximum} bytes.`, { extensions: { maximum } });
}

/**
 * Creates the job of an import.
 *
 * @param headers additional headers of the response; they are stored in the idempotency record, which commits with the job
 * @throws {ProblemError} TOO_MANY_JOBS, IMPORT_TOO_LARGE
 */
export async function submitImport(context: Context, received: ImportInBlob, headers: ResponseHeaders = {}): Promise<HttpResponse> {
  const { plan, file, jobId } = received;
  const { settings, resource } = plan;
  const { limits } = context.environment;
  const jobs = jobsOf(context.environment);
  if (jobs === undefined) throw new Error("The file of an import was received, but the service has no jobs.");
  if (settings.onError === "stop" && file.rows > limits.importStopRows) throw tooManyRows(file.rows, limits.importStopRows);
  const input: ImportInput = { collection: resource.name, settings, file };
  const job: NewJob = {
    id: jobId,
    type: importJobs.type,
    tenant: context.principal.tenant,
    owner: context.principal.id,
    input: await requestInput({ ...context, body: input }, { jobId, isSealed: file.blob?.dataKey !== undefined }),
    entries: [columnsEntry(importColumns(settings, file.header?.names, [...targetOf(plan).fields.keys()]))],
    progress: { processed: 0, total: Math.max(0, file.rows - settings.offset), counts: positionCounts(settings, file.header?.next ?? beginning) },
  };
  // An earlier attempt of the request may have created the job with its own copy of the file.
  const exists = context.keyId !== undefined && (await jobs.store.get(jobId)) !== undefined;
  // A file that was only tried in a dry run does not count as imported.
  const known = settings.dryRun ? undefined : await lookUpFile(context, resource.name, file, jobId);
  const warnings = known?.earlier === undefined ? {} : { warnings: [{ code: "SAME_FILE", importId: known.earlier }] };
  try {
    const accepted = (state: JobState) => withMembers(acceptedJob(importJobs, context, state), warnings, headers);
    const answer = await submitRequest(context, jobs, job, accepted);
    if (!exists) received.keep();
    await known?.remember();
    return answer;
  } catch (error) {
    await known?.forget();
    throw error;
  }
}

function tooManyRows(rows: number, maximum: number): ProblemError {
  const detail = `The file has ${rows} rows; "onError=stop" allows at most ${maximum}. Send "onError=continue" to import more.`;
  return new ProblemError("IMPORT_TOO_LARGE", detail, { extensions: { maximum } });
}

function withMembers(answer: HttpResponse, members: Readonly<Record<string, unknown>>, headers: ResponseHeaders): HttpResponse {
  const response = { ...answer, headers: { ...answer.headers, ...headers } };
  if (Object.keys(members).length === 0 || typeof response.body !== "string") return response;
  return { ...response, body: JSON.stringify({ ...(JSON.parse(response.body) as object), ...members }) };
}
