import { type Payload, payloadOf, type S3Api, type S3Call } from "./api.js";
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
  /** From 1. A part that has the number already is replaced. */
  readonly number: number;
  readonly payload: Payload;
  readonly signal?: AbortSignal | undefined;
}

/** A part that S3 has. */
export interface UploadedPart {
  /** From 1; parts follow one another by their numbers, which may leave some out. */
  readonly number: number;
  /** Without quotes. */
  readonly etag: string;
}

/** Resolves with the ETag of the part, without quotes. */
export async function uploadPart(api: S3Api, upload: Upload, options: PartOptions): Promise<string> {
  const { header } = await api.send(partCall(upload, options));
  return etagOf(header("etag"));
}

/** The same, without a second try. */
export async function uploadPartOnce(api: S3Api, upload: Upload, options: PartOptions): Promise<string> {
  const { header } = await api.sendOnce(partCall(upload, options));
  return etagOf(header("etag"));
}

function partCall({ key, uploadId }: Upload, { number, payload, signal }: PartOptions): S3Call {
  const query = [["partNumber", String(number)] as const, ["uploadId", uploadId] as const];
  return { name: "UploadPart", method: "PUT", key, query, payload, signal };
}

/**
 * Makes an object of these parts; what else was sent is dropped. A try may have done so though its answer was lost: the next one finds no upload then, but the object.
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

/** What `work` comes to; `undefined` where it finds that its upload has ended. */
export async function unlessMissing<R>(work: () => Promise<R>): Promise<R | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
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
