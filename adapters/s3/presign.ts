import type { QueryPair } from "../../src/auth/aws4/canonicalRequest.js";
import { contentDisposition } from "../../src/blobs/disposition.js";
import type { PresignedPut, PresignPutOptions } from "../../src/storage/blobs.js";
import type { S3Api } from "./api.js";
import type { Upload } from "./multipart.js";
import { checkType } from "./objects.js";
import { type Place, pathOf, urlOf } from "./place.js";
import { presignQuery } from "./sign.js";

export interface PresignOptions {
  /** Seconds, at most 604,800. */
  readonly expiresIn: number;
  readonly filename?: string | undefined;
  readonly contentType?: string | undefined;
}

/** A request that is to be signed. */
interface Presigned {
  readonly method: "GET" | "PUT";
  readonly key: string;
  readonly query?: readonly QueryPair[] | undefined;
  /** What has to be sent as it is here, besides Host. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly expiresIn: number;
}

/** S3 allows no more. */
const longestSeconds = 604_800;

/**
 * An address at which anybody can fetch a blob, to save it and not to look at it.
 *
 * @param place where clients find the bucket
 * @throws {TypeError} for less than a second or more than seven days
 */
export async function presignGet(api: S3Api, place: Place, key: string, { expiresIn, filename, contentType }: PresignOptions): Promise<string> {
  const type = contentType === undefined ? [] : [["response-content-type", contentType] as const];
  const query = [...type, ["response-content-disposition", contentDisposition("attachment", filename)] as const];
  return presign(api, place, { method: "GET", key, query, expiresIn });
}

/**
 * An address to which anybody can send these bytes and no others, as far as they are known: S3 refuses another type, another length and another hash.
 *
 * @param place where clients find the bucket
 * @throws {TypeError} for what cannot be signed
 */
export async function presignPut(api: S3Api, place: Place, key: string, options: PresignPutOptions): Promise<PresignedPut> {
  const { contentType, size, sha256, expiresIn } = options;
  checkType(contentType);
  if (size !== undefined && !(Number.isSafeInteger(size) && size >= 0)) throw new TypeError(`${size} is no size of a blob.`);
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError(`${JSON.stringify(sha256)} is no SHA-256 in lower-case hex.`);
  const headers = {
    ...(contentType ? { "content-type": contentType } : {}),
    ...(sha256 === undefined ? {} : { "x-amz-checksum-sha256": Buffer.from(sha256, "hex").toString("base64") }),
  };
  const length = size === undefined ? {} : { "content-length": String(size) };
  const url = await presign(api, place, { method: "PUT", key, headers: { ...headers, ...length }, expiresIn });
  return { url, method: "PUT", headers };
}

/**
 * An address to which anybody can send a part of an upload.
 *
 * @param place where clients find the bucket
 */
export function presignPart(
  api: S3Api,
  place: Place,
  { key, uploadId }: Upload,
  { number, expiresIn }: { readonly number: number; readonly expiresIn: number },
): Promise<string> {
  const query = [["partNumber", String(number)] as const, ["uploadId", uploadId] as const];
  return presign(api, place, { method: "PUT", key, query, expiresIn });
}

async function presign(api: S3Api, place: Place, { method, key, query = [], headers = {}, expiresIn }: Presigned): Promise<string> {
  if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > longestSeconds)
    throw new TypeError(`An address of S3 is signed for 1 to ${longestSeconds} seconds; got ${expiresIn}.`);
  const { region, now } = api.options;
  const keys = await api.options.keys();
  const path = pathOf(place, key);
  const request = { method, path, query, headers: { ...headers, host: place.host } };
  return urlOf(place, path, presignQuery(request, { keys, region, nowMs: now(), expiresIn })).href;
}
