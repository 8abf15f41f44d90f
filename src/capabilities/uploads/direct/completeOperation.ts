import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { answerFile } from "../plain/uploadOperation.js";
import { findUpload, requireLiving } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { problemOf } from "../records/upload.js";
import { mayReadFile } from "../rows/mayReadFile.js";
import { completeDirectUpload, mayHaveArrived } from "./arrival.js";

/** POST that finishes an upload whose bytes were sent to the blob store directly. A repeated request gets the same response. */
export function completeOperation(settings: UploadSettings): Operation {
  return {
    name: "uploads.complete",
    method: "POST",
    // It is idempotent, so an idempotency key is not needed and is ignored.
    takesKey: false,
    standsAlone: true,
    access: { action: "create", collection: "uploads" },
    run: (context) => complete(settings, context),
  };
}

async function complete(settings: UploadSettings, context: Context): Promise<HttpResponse> {
  const found = await findUpload(settings, context);
  const upload = mayHaveArrived(found) ? await completeDirectUpload(settings, found) : found;
  if (upload.data.problem !== undefined) throw problemOf(upload.data.problem);
  requireLiving(settings, upload);
  if (upload.data.status === "uploading") throw new ProblemError("UPLOAD_INCOMPLETE", "Not all bytes of the file have arrived yet.");
  return answerFile(context, upload, await mayReadFile(settings, upload, context));
}
