import { type Payload, payloadOf, type S3Api, type S3Call } from "./call/api.js";
import { S3Error } from "./call/errors.js";
import { escapeXml, textOf } from "./call/xml.js";
import { etagOf, headObject, isMissing, typeHeader, type Written } from "./objects.js";

/** A multipart upload. */
export interface Upload {
  readonly key: string;
  readonly uploadId: string;
}

export async function createUpload(api: S3Api, key: string, contentType: string | undefined): Promise<Upload> {
  const headers = typeHeader(contentType);
  const { text } = await api.send({ name: "CreateMultipartUpload", method: "POST", key, query: [["uploads", ""]], headers });
  const uploadId = textOf(text, "UploadId");
  if (!uploadId) throw new Error("S3 began an upload without an id. Check that the endpoint is an S3 endpoint.");
  return { key, uploadId };
}

export interface PartOptions {
  /** From 1. An existing part with the number is replaced. */
  readonly number: number;
  readonly payload: Payload;
  readonly signal?: AbortSignal | undefined;
}

/** An uploaded part. */
export interface UploadedPart {
  /** From 1; parts are ordered by their numbers, which may have gaps. */
  readonly number: number;
  /** Without quotes. */
  readonly etag: string;
}

/** Uploads a part. Resolves with its ETag, without quotes. */
export async function uploadPart(api: S3Api, upload: Upload, options: PartOptions): Promise<string> {
  const { header } = await api.send(partCall(upload, options));
  return etagOf(header("etag"));
}

/** The same, without retries. */
export async function uploadPartOnce(api: S3Api, upload: Upload, options: PartOptions): Promise<string> {
  const { header } = await api.sendOnce(partCall(upload, options));
  return etagOf(header("etag"));
}

function partCall({ key, uploadId }: Upload, { number, payload, signal }: PartOptions): S3Call {
  const query = [["partNumber", String(number)] as const, ["uploadId", uploadId] as const];
  return { name: "UploadPart", method: "PUT", key, query, payload, signal };
}

/**
 * Completes an upload with these parts; other parts are dropped. If an attempt succeeded and its response was lost, the next one finds no upload but the
 * object.
 *
 * @param size of all parts together, in bytes
 */
export async function completeUpload(
  api: S3Api,
  { key, uploadId }: Upload,
  { parts, size }: { readonly parts: readonly UploadedPart[]; readonly size: number },
): Promise<Pick<Written, "etag" | "date">> {
  const listed = parts.map(({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>"${escapeXml(etag)}"</ETag></Part>`);
  const xml = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${listed.join("")}</CompleteMultipartUpload>`;
  const payload = payloadOf(Buffer.from(xml));
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

/** The result of `work`; `undefined` if its upload has ended. */
export async function unlessMissing<R>(work: () => Promise<R>): Promise<R | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** `false` if there was no upload. */
export async function abortUpload(api: S3Api, { key, uploadId }: Upload): Promise<boolean> {
  try {
    await api.send({ name: "AbortMultipartUpload", method: "DELETE", key, query: [["uploadId", uploadId]] });
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
