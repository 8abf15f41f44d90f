import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { permit } from "../../../engine/operation/permit.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { answerBlob } from "../../../parts/blobs/answerBlob.js";
import { isSignedQuery } from "../../../parts/blobs/signedUrl.js";
import { refreshDirectUpload } from "../direct/arrival.js";
import { absentUpload } from "../records/absentUpload.js";
import { verifyFile } from "../records/document.js";
import { loadUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { isPartial, type Upload } from "../records/upload.js";
import { mayReadFile } from "../rows/mayReadFile.js";

/** GET of a file with a signed URL, or by its owner; once a row holds it, by those who may read the row and its field. */
export function downloadOperation(settings: UploadSettings): Operation {
  return {
    name: "files.read",
    method: "GET",
    answers: "other",
    standsAlone: true,
    // A signed URL has no principal to authorize; other requests are authorized in `run`.
    access: { action: "read", collection: undefined },
    isSigned: ({ query }) => isSignedQuery(query),
    async run(context) {
      const { environment, request, params, principal, authRequest } = context;
      const isSigned = isSignedQuery(request.query);
      if (!isSigned) await permit(environment, { principal, authRequest, action: "read", collection: "files" });
      const upload = await loadLiving(settings, params[0] ?? "");
      if (isSigned) verifyFile(environment, upload ?? absentUpload(params[0] ?? ""), request.query);
      else if (upload === undefined || !(await mayReadFile(settings, upload, context))) throw noSuchFile(context);
      return answer(settings, context, upload);
    },
  };
}

/** GET of a public file. */
export function publicDownloadOperation(settings: UploadSettings): Operation {
  return {
    name: "files.readPublic",
    method: "GET",
    answers: "other",
    standsAlone: true,
    usesStorage: true,
    async run(context) {
      const upload = await loadUpload(settings, context.params[0] ?? "");
      if (upload?.data.visibility !== "public") throw noSuchFile(context);
      return answer(settings, context, upload);
    },
  };
}

/** Loads an upload that has not ended, so that signed URLs of a deleted file become invalid. */
async function loadLiving(settings: UploadSettings, id: string): Promise<Upload | undefined> {
  const upload = await loadUpload(settings, id);
  return upload?.data.status === "gone" || upload?.data.status === "rejected" ? undefined : upload;
}

async function answer(settings: UploadSettings, context: Context, found: Upload | undefined): Promise<HttpResponse> {
  const upload = found && (await refreshDirectUpload(settings, found));
  if (upload?.data.status !== "ready" || upload.data.file === undefined || isPartial(upload)) throw noSuchFile(context);
  const { file, filename } = upload.data;
  const { method } = context.request;
  const nowMs = settings.clock.now();
  const { key, contentType, sha256, etag: storedTag } = file;
  const question = { method, headers: context.headers, nowMs, filename, contentType, etag: sha256, storedTag, disposition: "inline" } as const;
  const answered = await answerBlob(settings.blobs, key, question);
  if (answered === undefined) {
    settings.logger.warn({ upload: upload.record.id }, "A stored file is gone or changed.");
    throw noSuchFile(context);
  }
  const rule = upload.data.visibility === "public" ? publicRule(settings) : "private, no-cache";
  return { ...answered, headers: { ...answered.headers, "cache-control": rule } };
}

/** The bytes at a URL never change, but the file can be deleted. */
function publicRule({ publicMaxAgeSeconds }: UploadSettings): string {
  return publicMaxAgeSeconds === 0 ? "public, no-cache" : `public, max-age=${publicMaxAgeSeconds}, immutable`;
}

function noSuchFile({ params }: Context): ProblemError {
  return new ProblemError("NOT_FOUND", `There is no file "${(params[0] ?? "").slice(0, 64)}".`);
}
