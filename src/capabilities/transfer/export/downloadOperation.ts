import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { JobState } from "../../../ground/storage/queue/jobs.js";
import { isStorable } from "../../../ground/storage/values/isStorable.js";
import { answerBlob } from "../../../parts/blobs/answerBlob.js";
import { isSignedQuery } from "../../../parts/blobs/signedUrl.js";
import { findJob, noSuchJob } from "../../jobs/findJob.js";
import type { JobKind } from "../../jobs/kind.js";
import { verifyDownload } from "./downloadAddress.js";
import { type ExportFile, type FinishedFile, fileOf } from "./exportFile.js";
import type { ExportKindOptions } from "./exportKind.js";
import { type Download, mayDownload } from "./mayDownload.js";

const presignedSeconds = 900;

/** GET of the file of an export: for principals who may see the job and read every field of the file, and for requests with a signed address. */
export function downloadOperation(kind: JobKind, options: ExportKindOptions): Operation {
  return {
    name: "exports.download",
    method: "GET",
    answers: "other",
    standsAlone: true,
    access: { action: "read", collection: undefined },
    isSigned: ({ query }) => isSignedQuery(query),
    run: (context) => download(kind, options, context),
  };
}

async function download(kind: JobKind, options: ExportKindOptions, context: Context): Promise<HttpResponse> {
  const isSigned = isSignedQuery(context.request.query);
  const state = isSigned ? await signedJob(kind, context) : await findJob(kind, context);
  const file = fileOf(state);
  if (file === undefined) throw new ProblemError("NOT_FOUND", `The export is ${state.status} and has no file.`);
  if (context.environment.clock.now() >= file.expiresMs) throw expired(file);
  if (!isSigned) requireOpen(kind, context, file, await mayDownload(context, file, options.host));
  const answer = await answerFile(options, context, file);
  if (answer === undefined) throw expired(file);
  return answer;
}

/** @throws {ProblemError} NOT_FOUND, FORBIDDEN, EXPORT_OUTDATED */
function requireOpen(kind: JobKind, { params }: Context, { collection }: ExportFile, download: Download): void {
  if (download === "hidden") throw noSuchJob(kind, params[0] ?? "");
  if (download === "forbidden") throw new ProblemError("FORBIDDEN", `Not allowed to list "${collection}".`);
  if (download === "outdated") {
    throw new ProblemError("EXPORT_OUTDATED", `What you may read of "${collection}" has changed since this file was made. Export again.`);
  }
}

/** The job of a signed address. A missing job fails like a wrong signature, so that the answer does not tell which ids exist. */
async function signedJob({ settings, type }: JobKind, { environment, params, request }: Context): Promise<JobState> {
  const id = params[0] ?? "";
  const found = isStorable(id) ? await settings.store.get(id) : undefined;
  const state = found?.type === type ? found : undefined;
  verifyDownload(environment, state ?? { id, tenant: undefined, owner: "" }, request.query);
  if (state === undefined) throw new ProblemError("INVALID_SIGNATURE", "The signature of this address is not valid.");
  return state;
}

async function answerFile(
  { blobs }: ExportKindOptions,
  { request, headers, environment }: Context,
  file: FinishedFile,
): Promise<HttpResponse | undefined> {
  const { key, name, contentType, sha256 } = file;
  // An address that is presigned for GET does not work for HEAD.
  if (blobs.presignGet === undefined || request.method === "HEAD") {
    const nowMs = environment.clock.now();
    const answered = await answerBlob(blobs, key, { method: request.method, headers, nowMs, filename: name, contentType, etag: sha256 });
    return answered && { ...answered, headers: { ...answered.headers, "cache-control": "no-store" } };
  }
  if ((await blobs.stat(key)) === undefined) return undefined;
  const location = await blobs.presignGet(key, { expiresIn: presignedSeconds, filename: name, contentType });
  return { status: 302, headers: { location, "cache-control": "no-store" }, body: null };
}

function expired({ expiresMs }: FinishedFile): ProblemError {
  return new ProblemError("EXPIRED", `The file expired at ${new Date(expiresMs).toISOString()}.`);
}
