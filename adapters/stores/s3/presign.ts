import type { PresignedPut, PresignPutOptions } from "../../../src/ground/storage/files/blobs.js";
import type { QueryPair } from "../../../src/parts/auth/aws4/canonicalRequest.js";
import { maxPresignedSeconds } from "../../../src/parts/auth/aws4/maxPresignedSeconds.js";
import { contentDisposition } from "../../../src/parts/blobs/disposition.js";
import type { S3Api } from "./call/api.js";
import { type BucketLocation, pathOf, urlOf } from "./call/bucketLocation.js";
import { presignQuery } from "./call/sign.js";
import type { Upload } from "./multipart.js";
import { checkType } from "./objects.js";

export interface PresignOptions {
  /** Seconds, at most 604,800. */
  readonly expiresIn: number;
  readonly filename?: string | undefined;
  readonly contentType?: string | undefined;
}

/** A request to sign. */
interface Presigned {
  readonly method: "GET" | "PUT";
  readonly key: string;
  readonly query?: readonly QueryPair[] | undefined;
  /** Headers that must be sent unchanged, in addition to Host. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly expiresIn: number;
}

/**
 * A signed URL for downloading a blob; browsers save it and do not display it.
 *
 * @param place the address of the bucket for clients
 * @throws {TypeError} for less than a second or more than seven days
 */
export async function presignGet(
  api: S3Api,
  place: BucketLocation,
  key: string,
  { expiresIn, filename, contentType }: PresignOptions,
): Promise<string> {
  const type = contentType === undefined ? [] : [["response-content-type", contentType] as const];
  const query = [...type, ["response-content-disposition", contentDisposition("attachment", filename)] as const];
  return presign(api, place, { method: "GET", key, query, expiresIn });
}

/**
 * A signed URL for uploading exactly these bytes, as far as they are known: S3 rejects another type, length or hash.
 *
 * @param place the address of the bucket for clients
 * @throws {TypeError} for values that cannot be signed
 */
export async function presignPut(api: S3Api, place: BucketLocation, key: string, options: PresignPutOptions): Promise<PresignedPut> {
  const { contentType, size, sha256, expiresIn } = options;
  checkType(contentType);
  if (size !== undefined && !(Number.isSafeInteger(size) && size >= 0))
    throw new TypeError(`The size of a blob must be a whole number of at least 0; got ${size}.`);
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256))
    throw new TypeError(`"sha256" must be 64 lower-case hexadecimal digits; got ${JSON.stringify(sha256)}.`);
  const headers = {
    ...(contentType ? { "content-type": contentType } : {}),
    ...(sha256 === undefined ? {} : { "x-amz-checksum-sha256": Buffer.from(sha256, "hex").toString("base64") }),
  };
  const length = size === undefined ? {} : { "content-length": String(size) };
  const url = await presign(api, place, { method: "PUT", key, headers: { ...headers, ...length }, expiresIn });
  return { url, method: "PUT", headers };
}

/**
 * A signed URL for uploading a part.
 *
 * @param place the address of the bucket for clients
 */
export function presignPart(
  api: S3Api,
  place: BucketLocation,
  { key, uploadId }: Upload,
  { number, expiresIn }: { readonly number: number; readonly expiresIn: number },
): Promise<string> {
  const query = [["partNumber", String(number)] as const, ["uploadId", uploadId] as const];
  return presign(api, place, { method: "PUT", key, query, expiresIn });
}

async function presign(api: S3Api, place: BucketLocation, { method, key, query = [], headers = {}, expiresIn }: Presigned): Promise<string> {
  if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > maxPresignedSeconds)
    throw new TypeError(`"expiresIn" must be 1 to ${maxPresignedSeconds} seconds; got ${expiresIn}.`);
  const { region, now } = api.options;
  const keys = await api.options.keys();
  const path = pathOf(place, key);
  const request = { method, path, query, headers: { ...headers, host: place.host } };
  return urlOf(place, path, presignQuery(request, { keys, region, nowMs: now(), expiresIn })).href;
}
