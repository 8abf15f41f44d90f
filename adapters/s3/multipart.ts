import { createHash } from "node:crypto";
import type { Payload, S3Api } from "./api.js";
import { S3Error } from "./errors.js";
import { etagOf, headObject, isMissing, typeHeader, type Written } from "./objects.js";
import { escapeXml, textOf } from "./xml.js";

/** A blob that is being written in parts. */
export interface Upload {
  readonly key: string;
  readonly uploadId: string;
}

export async function createUpload(api: S3Api, key: string, contentType: string | undefined): Promise<Upload> {
  const headers = typeHeader(contentType);
  const { text } = await api.send({ name: "CreateMultipartUpload", method: "POST", key, query: [["uploads", ""]], headers });
  const uploadId = textOf(text, "UploadId");
  if (!uploadId) throw new Error("S3 began an upload without an id. Check that the endpoint is one of S3.");
  return { key, uploadId };
}

export interface PartOptions {
  /** From 1. */
  readonly number: number;
  readonly payload: Payload;
  readonly signal: AbortSignal;
}

/** Resolves with the ETag of the part, without quotes. */
export async function uploadPart(api: S3Api, { key, uploadId }: Upload, { number, payload, signal }: PartOptions): Promise<string> {
  const query = [["partNumber", String(number)] as const, ["uploadId", uploadId] as const];
  const { header } = await api.send({ name: "UploadPart", method: "PUT", key, query, payload, signal });
  return etagOf(header("etag"));
}

/**
 * Makes an object of the parts. A try may have done so though its answer was lost: the next one finds no upload then, but the object.
 *
 * @param size of all parts together, in bytes
 */
export async function completeUpload(
  api: S3Api,
  { key, uploadId }: Upload,
  { etags, size }: { readonly etags: readonly string[]; readonly size: number },
): Promise<Pick<Written, "etag" | "date">> {
  const parts = etags.map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>"${escapeXml(etag)}"</ETag></Part>`);
  const bytes = Buffer.from(`<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join("")}</CompleteMultipartUpload>`);
  const payload = { chunks: [bytes], length: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
  const headers = { "content-type": "application/xml" };
  try {
    const answer = await api.send({ name: "CompleteMultipartUpload", method: "POST", key, query: [["uploadId", uploadId]], headers, payload });
    return { etag: etagOf(textOf(answer.text, "ETag")), date: answer.header("date") };
  } catch (error) {
    const stat = isMissing(error) && error instanceof S3Error && error.attempt > 1 ? await headObject(api, key) : undefined;
    if (stat?.size !== size) throw error;
    return { etag: stat.etag, date: undefined };
  }
}

/** `false` where there was none any more. */
export async function abortUpload(api: S3Api, { key, uploadId }: Upload): Promise<boolean> {
  try {
    await api.send({ name: "AbortMultipartUpload", method: "DELETE", key, query: [["uploadId", uploadId]] });
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
