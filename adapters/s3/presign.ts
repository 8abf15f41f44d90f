import { contentDisposition } from "../../src/blobs/disposition.js";
import type { S3Api } from "./api.js";
import { type Place, pathOf, urlOf } from "./place.js";
import { presignQuery } from "./sign.js";

export interface PresignOptions {
  /** Seconds, at most 604,800. */
  readonly expiresIn: number;
  readonly filename?: string | undefined;
  readonly contentType?: string | undefined;
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
  if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > longestSeconds)
    throw new TypeError(`An address of S3 is signed for 1 to ${longestSeconds} seconds; got ${expiresIn}.`);
  const { region, now } = api.options;
  const keys = await api.options.keys();
  const type = contentType === undefined ? [] : [["response-content-type", contentType] as const];
  const query = [...type, ["response-content-disposition", contentDisposition("attachment", filename)] as const];
  const path = pathOf(place, key);
  const signed = presignQuery({ method: "GET", path, query, headers: { host: place.host } }, { keys, region, nowMs: now(), expiresIn });
  return urlOf(place, path, signed).href;
}
