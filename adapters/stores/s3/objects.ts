import type { BlobStat } from "../../../src/ground/storage/files/blobs.js";
import type { Payload, S3Api } from "./call/api.js";
import { S3Error } from "./call/errors.js";

/** The metadata of a blob that was just written. */
export interface Written extends Pick<BlobStat, "size" | "contentType" | "etag"> {
  /** The Date header of the response, if there was one. */
  readonly date: string | undefined;
}

/** The type that S3 assumes for an object without one. Other services assume none. */
const untyped = "binary/octet-stream";

/** @throws {TypeError} for a type that a header cannot contain */
export function checkType(contentType: string | undefined): void {
  if (!/^[\t\x20-\x7e]*$/.test(contentType ?? "")) throw new TypeError(`The type of a blob must be ASCII text; got ${JSON.stringify(contentType)}.`);
}

/** The header with the type of a blob. */
export function typeHeader(contentType: string | undefined): Readonly<Record<string, string>> {
  return { "content-type": contentType || untyped };
}

/** `undefined` if there is no object. */
export async function headObject(api: S3Api, key: string): Promise<BlobStat | undefined> {
  try {
    const { header } = await api.send({ name: "HeadObject", method: "HEAD", key });
    const contentType = header("content-type");
    return {
      size: Number(header("content-length")),
      contentType: contentType === untyped ? undefined : contentType,
      etag: etagOf(header("etag")),
      lastModified: wholeSeconds(header("last-modified")),
    };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export async function putObject(api: S3Api, key: string, contentType: string | undefined, payload: Payload): Promise<Written> {
  const answer = await api.send({ name: "PutObject", method: "PUT", key, headers: typeHeader(contentType), payload });
  return { size: payload.length, contentType, etag: etagOf(answer.header("etag")), date: answer.header("date") };
}

export async function deleteObject(api: S3Api, key: string): Promise<void> {
  try {
    await api.send({ name: "DeleteObject", method: "DELETE", key });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** The metadata of a blob that was just written. Only HEAD returns the time. The write counts even if HEAD is refused, or another blob has replaced it. */
export async function statWritten(api: S3Api, key: string, { date, ...written }: Written): Promise<BlobStat> {
  const stat = await headObject(api, key).catch(() => undefined);
  if (stat?.etag === written.etag) return stat;
  return { ...written, lastModified: wholeSeconds(date ?? new Date(api.options.now()).toISOString()) };
}

export function isMissing(error: unknown): boolean {
  return error instanceof S3Error && error.status === 404 && error.code !== "NoSuchBucket";
}

/** Without quotes. */
export function etagOf(header: string | undefined): string {
  const etag = /^(?:W\/)?"?([^"]*)"?$/.exec(header ?? "")?.[1];
  if (!etag) throw new Error("S3 answered without an ETag. Check that the endpoint is an S3 endpoint.");
  return etag;
}

/** Headers have whole seconds; listings may have fractions. */
export function wholeSeconds(text: string | undefined): Date {
  const ms = Date.parse(text ?? "");
  if (Number.isNaN(ms)) throw new Error("S3 answered without a date. Check that the endpoint is an S3 endpoint.");
  return new Date(Math.floor(ms / 1_000) * 1_000);
}
