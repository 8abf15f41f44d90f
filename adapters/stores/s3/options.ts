import type { S3Client } from "./call/client.js";

/** The keys that sign the requests. */
export interface S3Keys {
  /** The access key id. */
  readonly accessKeyId: string;
  /** The secret access key; it appears in no message. */
  readonly secretAccessKey: string;
  /** The session token of temporary keys. */
  readonly sessionToken?: string | undefined;
}

/** Options of `s3Blobs`. */
export interface S3Location {
  /** URL without the bucket: `https://s3.eu-west-1.amazonaws.com`, `https://<account>.r2.cloudflarestorage.com`, `http://localhost:9000`. */
  readonly endpoint: string;
  /** The name of an existing bucket. */
  readonly bucket: string;
  /** The region that signatures name. Defaults to `us-east-1`; use `auto` for R2. */
  readonly region?: string | undefined;
  /** A prefix of every key, such as `uploads/`; other objects are never touched. */
  readonly prefix?: string | undefined;
  /** Whether URLs contain the bucket in the path and not in the host. Defaults to `true` if the endpoint is not Amazon's or the bucket name contains a dot. */
  readonly pathStyle?: boolean | undefined;
  /** The address of the endpoint for clients, if it differs; signed URLs begin with it. */
  readonly publicEndpoint?: string | undefined;
  /** How long a request may take without transferring a byte, in milliseconds. Defaults to 15,000. */
  readonly timeoutMs?: number | undefined;
  /** Sends the requests. Defaults to a client on node:https. */
  readonly client?: S3Client | undefined;
  /** Milliseconds since the epoch, for signatures. */
  readonly clock?: { now(): number } | undefined;
}

/** Fixed keys, or a function that returns the current ones: it is called before each request, and should cache them. */
export type S3Options = S3Location &
  (
    | S3Keys
    | {
        /** Returns the current keys; called before each request. Instead of fixed keys. */
        readonly credentials: () => Promise<S3Keys>;
      }
  );

/** The current keys. */
export function keysOf(options: S3Options): () => Promise<S3Keys> {
  if ("credentials" in options && options.credentials !== undefined) return options.credentials;
  const { accessKeyId, secretAccessKey, sessionToken } = options as S3Keys;
  if (!accessKeyId || !secretAccessKey) throw new TypeError("S3 needs accessKeyId and secretAccessKey, or credentials.");
  return async () => ({ accessKeyId, secretAccessKey, sessionToken });
}
