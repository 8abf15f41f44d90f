import { canonicalQuery, type QueryPair } from "../../src/auth/aws4/canonicalRequest.js";
import type { S3Options } from "./options.js";

/** Where the objects of a bucket are. */
export interface Place {
  readonly protocol: string;
  /** As in the header Host. */
  readonly host: string;
  /** In front of the name of an object, without a slash at its end; empty where the bucket is part of the host. */
  readonly path: string;
  /** In front of each key. */
  readonly prefix: string;
}

type PlaceOptions = Pick<S3Options, "bucket" | "prefix" | "pathStyle">;

/** @throws {TypeError} for an endpoint, a bucket or a prefix that is none */
export function placeOf(endpoint: string, { bucket, prefix = "", pathStyle }: PlaceOptions): Place {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "" || url.hash !== "")
    throw new TypeError(
      "The endpoint of S3 must be an address like https://s3.eu-west-1.amazonaws.com, with http or https, without credentials and query.",
    );
  if (typeof bucket !== "string" || !/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(bucket))
    throw new TypeError(`The bucket must be 3 to 63 letters, digits, "-", "." and "_"; got ${JSON.stringify(bucket)}.`);
  if (!/^(?:[A-Za-z0-9_.-]+\/)*[A-Za-z0-9_.-]*$/.test(prefix) || /(?:^|\/)\.{1,2}\//.test(prefix))
    throw new TypeError(`The prefix must be of letters, digits, "_", "-", "." and single "/", like uploads/; got ${JSON.stringify(prefix)}.`);
  const path = url.pathname.replace(/\/+$/, "");
  const isInPath = pathStyle ?? !isHostOfBucket(url.hostname, bucket);
  return isInPath
    ? { protocol: url.protocol, host: url.host, path: `${path}/${bucket}`, prefix }
    : { protocol: url.protocol, host: `${bucket}.${url.host}`, path, prefix };
}

/** Certificates of Amazon stand for one name below the host, and elsewhere buckets seldom have names of their own. */
function isHostOfBucket(hostname: string, bucket: string): boolean {
  return /(?:^|\.)amazonaws\.com(?:\.cn)?$/.test(hostname) && !bucket.includes(".");
}

/** The path of a blob, or of the bucket itself. Neither prefixes nor keys have characters that have to be encoded. */
export function pathOf({ path, prefix }: Place, key: string | undefined): string {
  return key === undefined ? `${path}/` : `${path}/${prefix}${key}`;
}

/** The address of a request. */
export function urlOf(place: Place, path: string, query: readonly QueryPair[]): URL {
  const search = query.length === 0 ? "" : `?${canonicalQuery(query)}`;
  return new URL(`${place.protocol}//${place.host}${path}${search}`);
}
