import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { discardPieces } from "../finish/discardPieces.js";
import { discardUpload } from "../finish/record.js";
import { findUpload, loadUpload, noSuchUpload, requireLiving } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import type { Upload } from "../records/upload.js";
import { requireVersion } from "./headers.js";
import { preemptWriter } from "./preemptWriter.js";

/** DELETE of an upload in any state. */
export function terminateOperation(settings: UploadSettings): Operation {
  return {
    name: "uploads.terminate",
    method: "DELETE",
    cost: 0,
    standsAlone: true,
    access: { action: "remove", collection: "uploads" },
    run: (context) => terminate(settings, context),
  };
}

async function terminate(settings: UploadSettings, context: Context): Promise<HttpResponse> {
  let upload = await findUpload(settings, context);
  requireVersion(context.headers);
  if (upload.data.status === "gone") requireLiving(settings, upload);
  for (;;) {
    if (upload.data.status === "uploading") upload = await preemptWriter(settings, upload.record.id);
    // The upload may have been finished while this request waited for its writer.
    if (upload.data.status === "ready" && !settings.allowTerminateFinished) throw new ProblemError("FORBIDDEN", "Finished files cannot be deleted.");
    requireFree(upload);
    if (await discardUpload(settings, upload)) {
      await discardPieces(settings, upload);
      return { status: 204, headers: {}, body: null };
    }
    // Another request has changed the upload.
    const current = await loadUpload(settings, upload.record.id);
    if (current === undefined) throw noSuchUpload(upload.record.id);
    requireLiving(settings, current);
    upload = current;
  }
}

/** @throws {ProblemError} ROW_IN_USE if a row holds the file */
function requireFree({ data: { claim } }: Upload): void {
  if (claim === undefined) return;
  const { collection, field } = claim;
  throw new ProblemError("ROW_IN_USE", `A row of "${collection}" holds this file in "${field}"; change that field or delete the row first.`);
}
