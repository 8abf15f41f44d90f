import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import type { HttpResponse, ResponseHeaders } from "../../../ground/http/message.js";
import { refreshDirectUpload } from "../direct/arrival.js";
import { expiryHeader, uploadDocument } from "../records/document.js";
import { findUpload, requireLiving } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { offsetOf, type Upload } from "../records/upload.js";
import { mayReadFile } from "../rows/mayReadFile.js";
import { requireVersion } from "./headers.js";
import { preemptWriter } from "./preemptWriter.js";

/** HEAD of an upload: interrupts its writer and returns the final offset. GET: returns its document without interrupting the writer. */
export function statusOperation(settings: UploadSettings): Operation {
  return {
    name: "uploads.read",
    method: "GET",
    answers: "other",
    cost: 0,
    standsAlone: true,
    access: { action: "read", collection: "uploads" },
    run: (context) => (context.request.method === "HEAD" ? head(settings, context) : get(settings, context)),
  };
}

async function head(settings: UploadSettings, context: Context): Promise<HttpResponse> {
  const found = await findUpload(settings, context);
  requireVersion(context.headers);
  const upload = await current(settings, found);
  requireLiving(settings, upload);
  return { status: 200, headers: { "cache-control": "no-store", ...progressOf(upload) }, body: null };
}

/** Loads the current upload. A resumable upload has no writer after this; an upload to a signed URL is sent as a whole, so its writer is not interrupted. */
async function current(settings: UploadSettings, found: Upload): Promise<Upload> {
  if (found.data.kind === "direct") return refreshDirectUpload(settings, found);
  requireLiving(settings, found);
  return found.data.status === "uploading" ? preemptWriter(settings, found.record.id) : found;
}

function progressOf(upload: Upload): ResponseHeaders {
  const { length, metadata, concat } = upload.data;
  return {
    "upload-offset": String(offsetOf(upload)),
    ...(length === undefined ? { "upload-defer-length": "1" } : { "upload-length": String(length) }),
    ...(metadata === undefined ? {} : { "upload-metadata": metadata }),
    ...(concat === undefined ? {} : { "upload-concat": concat }),
    ...expiryHeader(upload),
  };
}

const notFinished = "Finishing an upload whose process died failed; it will be retried.";

async function get(settings: UploadSettings, context: Context): Promise<HttpResponse> {
  const upload = await refreshDirectUpload(settings, await findUpload(settings, context));
  // A rejected upload can be read as long as its record is kept.
  if (upload.data.status !== "rejected") requireLiving(settings, upload);
  if (upload.data.status === "processing")
    void settings.finishAbandoned(upload).catch((error: unknown) => settings.logger.warn({ err: error }, notFinished));
  const retry: ResponseHeaders = upload.data.status === "processing" ? { "retry-after": "5" } : {};
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...retry },
    body: JSON.stringify(uploadDocument(withAcknowledged(settings, upload), context, await mayReadFile(settings, upload, context))),
  };
}

/** With the bytes that this process has acknowledged but not recorded. */
function withAcknowledged({ active }: UploadSettings, upload: Upload): Upload {
  const { record, data } = upload;
  const size = active.get(record.id)?.acknowledgedBytes;
  return size === undefined || data.draft === undefined ? upload : { record, data: { ...data, draft: { ...data.draft, size } } };
}
