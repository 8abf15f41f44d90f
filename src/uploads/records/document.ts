import { windowEnd } from "../../blobs/addressWindow.js";
import { signUrl, verifySignedUrl } from "../../blobs/signedUrl.js";
import type { ResponseHeaders } from "../../http/message.js";
import type { Context } from "../../operation/context.js";
import type { Environment } from "../../operation/environment.js";
import { isPartial, offsetOf, type Upload } from "./upload.js";

/** A file, or one that is on its way, as clients see it. */
export function uploadDocument(upload: Upload, context: Context): Readonly<Record<string, unknown>> {
  const { record, data } = upload;
  const { problem } = data;
  // One that waits for others of its form is not told of.
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
  return { ...common, url, signedUrl: base + signFile(context.environment, upload) };
}

/** What the addresses in answers begin with. */
export function baseOf({ environment, request }: Pick<Context, "environment" | "request">): string {
  return environment.baseUrl ?? request.mount;
}

/** Where an upload is seen to; below the mount. */
export function uploadPath(id: string): string {
  return `/uploads/${id}`;
}

/** Where a file is read; below the mount. One that everybody may read has another address, so that nobody is asked who they are. */
export function filePath({ record, data }: Upload): string {
  return data.visibility === "public" ? `/files/public/${record.id}` : `/files/${record.id}`;
}

/** The path at which a file can be read without credentials: the same for five minutes, and good for ten to fifteen. */
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

/** When an upload ends that nobody goes on with. */
export function expiryHeader({ record, data }: Upload): ResponseHeaders {
  return data.status === "uploading" && record.dueAt !== undefined ? { "upload-expires": record.dueAt.toUTCString() } : {};
}
