import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { strongTag } from "../../../language/conditional/etag.js";
import { finishUpload } from "../finish/finishUpload.js";
import { absentUpload } from "../records/absentUpload.js";
import { baseOf, uploadPath } from "../records/document.js";
import { loadUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { problemOf, type Upload } from "../records/upload.js";
import { preemptWriter } from "../resumable/preemptWriter.js";
import { verifyDirect } from "./directAddress.js";
import { receiveDirect, uploadClosed } from "./receiveDirect.js";
import { validateSignedBody } from "./signedBody.js";

/** PUT of a file to its signed URL, without credentials. */
export function directPutOperation(settings: UploadSettings): Operation {
  return {
    name: "uploads.putDirect",
    method: "PUT",
    answers: "other",
    // A URL accepts one file, so an idempotency key is not needed and is ignored.
    takesKey: false,
    standsAlone: true,
    access: { action: "create", collection: undefined },
    isSigned: () => true,
    run: (context) => put(settings, context),
  };
}

async function put(settings: UploadSettings, context: Context): Promise<HttpResponse> {
  const { environment, request, params, headers } = context;
  const id = params[0] ?? "";
  const found = await loadUpload(settings, id);
  verifyDirect(environment, found ?? absentUpload(id), request.query);
  const { declaredType, length } = requireOpen(found).data;
  validateSignedBody(headers, { contentType: declaredType, size: length });
  const received = await inTurn(settings, id, async (signal) =>
    receiveDirect(settings, context, requireOpen(await loadUpload(settings, id)), signal),
  );
  return answer(context, await finishUpload(settings, received));
}

/** @throws {ProblemError} ALREADY_UPLOADED, GONE */
function requireOpen(upload: Upload | undefined): Upload {
  if (upload?.data.status !== "uploading" || upload.data.kind !== "direct") throw uploadClosed(upload);
  return upload;
}

/** Interrupts an earlier request of this process for the same upload and waits until it ends: its client has abandoned it. */
async function inTurn<Result>(settings: UploadSettings, id: string, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  await preemptWriter(settings, id);
  // Other requests may have waited too.
  while (settings.active.get(id) !== undefined) await preemptWriter(settings, id);
  const controller = new AbortController();
  const leave = settings.active.enter(id, () => controller.abort());
  try {
    return await run(controller.signal);
  } finally {
    leave();
  }
}

/** @throws {ProblemError} the problem that the file was rejected for */
function answer(context: Context, { record, data }: Upload): HttpResponse {
  if (data.problem !== undefined) throw problemOf(data.problem);
  const location = baseOf(context) + uploadPath(record.id);
  const headers = { location, "cache-control": "no-store" };
  if (data.file === undefined) return { status: 202, headers, body: null };
  return { status: 201, headers: { ...headers, etag: strongTag(data.file.sha256) }, body: null };
}
