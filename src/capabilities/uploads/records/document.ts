import type { Context } from "../../../engine/operation/context.js";
import type { Environment } from "../../../engine/operation/environment.js";
import type { ResponseHeaders } from "../../../ground/http/message.js";
import { windowEnd } from "../../../parts/blobs/addressWindow.js";
import { signUrl, verifySignedUrl } from "../../../parts/blobs/signedUrl.js";
import { isPartial, offsetOf, type Upload } from "./upload.js";

/**
 * The JSON document of an upload or a finished file.
 *
 * @param mayRead whether the principal may read the file: without that the document of a private one has no addresses. By default it may read its own file until a row holds it
 */
export function uploadDocument(upload: Upload, context: Context, mayRead = upload.data.claim === undefined): Readonly<Record<string, unknown>> {
  const { record, data } = upload;
  const { problem } = data;
  // A checked file that waits for other files of its form is not readable yet.
  const file = data.status === "ready" ? data.file : undefined;
  const common = {
    id: record.id,
    field: data.field,
    filename: data.filename,
    contentType: file?.contentType ?? null,
    declaredContentType: data.declaredType ?? null,
    size: file?.size ?? data.length ?? null,
    sha256: file?.sha256,
    status: data.status,
    offset: data.status === "uploading" ? offsetOf(upload) : undefined,
    image: file?.image,
    error: problem && { code: problem.code, detail: problem.detail, ...problem.extensions },
    createdAt: new Date(data.createdMs).toISOString(),
    expiresAt: data.status === "uploading" ? record.dueAt?.toISOString() : undefined,
  };
  if (file === undefined || isPartial(upload)) return common;
  const base = baseOf(context);
  const url = base + filePath(upload);
  if (data.visibility === "public") return { ...common, url };
  if (!mayRead) return common;
  return { ...common, url, signedUrl: base + signFile(context.environment, upload) };
}

/** The base URL of the URLs in responses. */
export function baseOf({ environment, request }: Pick<Context, "environment" | "request">): string {
  return environment.baseUrl ?? request.mount;
}

/** The path of an upload, relative to the mount. */
export function uploadPath(id: string): string {
  return `/uploads/${id}`;
}

/** The path of a file, relative to the mount. A public file has a separate path, which needs no authentication. */
export function filePath({ record, data }: Upload): string {
  return data.visibility === "public" ? `/files/public/${record.id}` : `/files/${record.id}`;
}

/** The signed path at which a file can be read without credentials. It stays the same for five minutes and is valid for 10 to 15 minutes. */
function signFile({ clock, secrets }: Pick<Environment, "clock" | "secrets">, upload: Upload): string {
  return signUrl(secrets, useOf(upload), windowEnd(clock.now()));
}

/** @throws {ProblemError} INVALID_SIGNATURE */
export function verifyFile({ clock, secrets }: Pick<Environment, "clock" | "secrets">, upload: Upload, query: string): void {
  verifySignedUrl(secrets, useOf(upload), query, clock.now());
}

function useOf(upload: Upload) {
  const { tenant, owner } = upload.record;
  return { method: "GET", path: filePath(upload), owner: JSON.stringify([tenant ?? null, owner]) };
}

/** The Upload-Expires header of an unfinished upload. */
export function expiryHeader({ record, data }: Upload): ResponseHeaders {
  return data.status === "uploading" && record.dueAt !== undefined ? { "upload-expires": record.dueAt.toUTCString() } : {};
}
