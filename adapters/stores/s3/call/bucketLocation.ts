import { canonicalQuery, type QueryPair } from "../../../../src/parts/auth/aws4/canonicalRequest.js";
import type { S3Options } from "../options.js";

/** The address of the objects of a bucket. */
export interface BucketLocation {
  readonly protocol: string;
  /** The value of the Host header. */
  readonly host: string;
  /** The path before the name of an object, without a trailing slash; empty if the host contains the bucket. */
  readonly path: string;
  /** The prefix of each key. */
  readonly prefix: string;
}

type PlaceOptions = Pick<S3Options, "bucket" | "prefix" | "pathStyle">;

/** @throws {TypeError} for an invalid endpoint, bucket or prefix */
export function resolveBucket(endpoint: string, { bucket, prefix = "", pathStyle }: PlaceOptions): BucketLocation {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "" || url.hash !== "")
    throw new TypeError(
      "The endpoint of S3 must be an address like https://s3.eu-west-1.amazonaws.com, with http or https, without credentials and query.",
    );
  if (typeof bucket !== "string" || !/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(bucket))
    throw new TypeError(`The bucket must have 3 to 63 letters, digits, "-", "." and "_"; got ${JSON.stringify(bucket)}.`);
  if (!/^(?:[A-Za-z0-9_.-]+\/)*[A-Za-z0-9_.-]*$/.test(prefix) || /(?:^|\/)\.{1,2}\//.test(prefix))
    throw new TypeError(`The prefix must consist of letters, digits, "_", "-", "." and single "/", like uploads/; got ${JSON.stringify(prefix)}.`);
  const path = url.pathname.replace(/\/+$/, "");
  const isInPath = pathStyle ?? !isHostOfBucket(url.hostname, bucket);
  return isInPath
    ? { protocol: url.protocol, host: url.host, path: `${path}/${bucket}`, prefix }
    : { protocol: url.protocol, host: `${bucket}.${url.host}`, path, prefix };
}

/** Amazon's certificates cover one label below the host, and other services seldom give buckets host names. */
function isHostOfBucket(hostname: string, bucket: string): boolean {
  return /(?:^|\.)amazonaws\.com(?:\.cn)?$/.test(hostname) && !bucket.includes(".");
}

/** The path of a blob, or of the bucket. Neither prefixes nor keys contain characters that need encoding. */
export function pathOf({ path, prefix }: BucketLocation, key: string | undefined): string {
  return key === undefined ? `${path}/` : `${path}/${prefix}${key}`;
}

/** The URL of a request. */
export function urlOf(place: BucketLocation, path: string, query: readonly QueryPair[]): URL {
  const search = query.length === 0 ? "" : `?${canonicalQuery(query)}`;
  return new URL(`${place.protocol}//${place.host}${path}${search}`);
}
