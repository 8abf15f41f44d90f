import type { S3Client } from "./client.js";

/** Who makes the requests. */
export interface S3Keys {
  /** Public half of a key. */
  readonly accessKeyId: string;
  /** Secret half; it stands in no message. */
  readonly secretAccessKey: string;
  /** Of keys that are lent for a time. */
  readonly sessionToken?: string | undefined;
}

/** Where blobs are kept. */
export interface S3Location {
  /** Without the bucket: `https://s3.eu-west-1.amazonaws.com`, `https://<account>.r2.cloudflarestorage.com`, `http://localhost:9000`. */
  readonly endpoint: string;
  /** Its name alone; it has to be there. */
  readonly bucket: string;
  /** `us-east-1` unless given; `auto` for R2. */
  readonly region?: string | undefined;
  /** In front of every key, like `uploads/`; what does not begin with it is left alone. */
  readonly prefix?: string | undefined;
  /** Whether the bucket stands in the path rather than in the host; unless given, where the endpoint is none of Amazon's or the bucket has a dot. */
  readonly pathStyle?: boolean | undefined;
  /** Where clients reach the endpoint, if it has another address for them; signed addresses begin with it. */
  readonly publicEndpoint?: string | undefined;
  /** How long anything may take without a byte going over the wire, in milliseconds; 15,000 unless given. */
  readonly timeoutMs?: number | undefined;
  /** Sends the requests, with a connection of your own; node:https unless given. */
  readonly client?: S3Client | undefined;
  /** Milliseconds since the epoch, for signatures. */
  readonly clock?: { now(): number } | undefined;
}

/** With keys that stay, or with what fetches those that are valid now: it is asked before each request, and should remember them. */
export type S3Options = S3Location & (S3Keys | { readonly credentials: () => Promise<S3Keys> });

/** The keys to sign with now. */
export function keysOf(options: S3Options): () => Promise<S3Keys> {
  if ("credentials" in options) {
    if (typeof options.credentials === "function") return options.credentials;
    throw new TypeError("The credentials of S3 must be an async function that answers accessKeyId and secretAccessKey.");
  }
  const { accessKeyId, secretAccessKey, sessionToken } = options;
  if (!accessKeyId || !secretAccessKey) throw new TypeError("S3 needs accessKeyId and secretAccessKey, or credentials.");
  return async () => ({ accessKeyId, secretAccessKey, sessionToken });
}
