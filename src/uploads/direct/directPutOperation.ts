import { strongTag } from "../../conditional/etag.js";
import type { HttpResponse } from "../../http/message.js";
import type { Context } from "../../operation/context.js";
import type { Operation } from "../../operation/operation.js";
import { finishUpload } from "../finish/finishUpload.js";
import { baseOf, uploadPath } from "../records/document.js";
import { loadUpload } from "../records/find.js";
import { nobodysUpload } from "../records/nobodysUpload.js";
import type { UploadSettings } from "../records/settings.js";
import { problemOf, type Upload } from "../records/upload.js";
import { settle } from "../resumable/settle.js";
import { requireAnnounced } from "./announcedBody.js";
import { verifyDirect } from "./directAddress.js";
import { notOpen, receiveDirect } from "./receiveDirect.js";

/** PUT of a file to the address that was signed for it; nobody is asked for credentials. */
export function directPutOperation(settings: UploadSettings): Operation {
  return {
    name: "uploads.putDirect",
    method: "PUT",
    // An address is good for one file: no key is needed, and none is looked at.
    safety: "safe",
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
  verifyDirect(environment, found ?? nobodysUpload(id), request.query);
  const { declaredType, length } = requireOpen(found).data;
  requireAnnounced(headers, { contentType: declaredType, size: length });
  const received = await inTurn(settings, id, async (signal) =>
    receiveDirect(settings, context, requireOpen(await loadUpload(settings, id)), signal),
  );
  return answer(context, await finishUpload(settings, received));
}

/** @throws {ProblemError} ALREADY_UPLOADED, GONE */
function requireOpen(upload: Upload | undefined): Upload {
  if (upload?.data.status !== "uploading" || upload.data.kind !== "direct") throw notOpen(upload);
  return upload;
}

/** Has an earlier request of this process for the same upload end first: it is one that its client does not know of any more. */
async function inTurn<Result>(settings: UploadSettings, id: string, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  await settle(settings, id);
  // Others may have been waiting as well.
  while (settings.active.get(id) !== undefined) await settle(settings, id);
  const controller = new AbortController();
  const leave = settings.active.enter(id, () => controller.abort());
  try {
    return await run(controller.signal);
  } finally {
    leave();
  }
}

/** @throws {ProblemError} what the file was rejected for */
function answer(context: Context, { record, data }: Upload): HttpResponse {
  if (data.problem !== undefined) throw problemOf(data.problem);
  const location = baseOf(context) + uploadPath(record.id);
  const headers = { location, "cache-control": "no-store" };
  if (data.file === undefined) return { status: 202, headers, body: null };
  return { status: 201, headers: { ...headers, etag: strongTag(data.file.sha256) }, body: null };
}
