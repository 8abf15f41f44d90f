import type { HttpResponse, ResponseHeaders } from "../../http/message.js";
import type { Context } from "../../operation/context.js";
import type { Operation } from "../../operation/operation.js";
import { lookForArrived } from "../direct/arrival.js";
import { expiryHeader, uploadDocument } from "../records/document.js";
import { findUpload, requireLiving } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { offsetOf, type Upload } from "../records/upload.js";
import { requireVersion } from "./headers.js";
import { settle } from "./settle.js";

/** HEAD of an upload: how much has arrived, with nobody writing any more. GET: what is known of it, without disturbing who writes. */
export function statusOperation(settings: UploadSettings): Operation {
  return {
    name: "uploads.read",
    method: "GET",
    safety: "safe",
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

/** Of what comes in pieces nobody is writing any more afterwards; what is sent to an address of its own comes as one. */
async function current(settings: UploadSettings, found: Upload): Promise<Upload> {
  if (found.data.kind === "direct") return lookForArrived(settings, found);
  requireLiving(settings, found);
  return found.data.status === "uploading" ? settle(settings, found.record.id) : found;
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

async function get(settings: UploadSettings, context: Context): Promise<HttpResponse> {
  const upload = await lookForArrived(settings, await findUpload(settings, context));
  const retry: ResponseHeaders = upload.data.status === "processing" ? { "retry-after": "5" } : {};
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...retry },
    body: JSON.stringify(uploadDocument(upload, context)),
  };
}
