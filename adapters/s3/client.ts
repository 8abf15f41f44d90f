/** A request that is signed already. */
export interface S3Request {
  /** `GET`, `PUT`, `HEAD`, `POST` or `DELETE`. */
  readonly method: string;
  /** With its query. */
  readonly url: URL;
  /** All but Host and Content-Length; to be sent as they are. */
  readonly headers: Readonly<Record<string, string>>;
  /** One chunk behind the other; none for a request without a body. */
  readonly body: readonly Uint8Array[];
  /** Ends the request and its response. */
  readonly signal: AbortSignal;
}

/** The head of an answer, and its body as it comes. */
export interface S3Response {
  readonly status: number;
  /** `undefined` for a header that is not there; names in lower case. */
  header(name: string): string | undefined;
  /** To be iterated once; ending the iteration early releases the connection. `null` where there is none. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Sends one request and resolves with the head of the response. It follows no redirect, decodes nothing and tries nothing twice. */
export type S3Client = (request: S3Request) => Promise<S3Response>;
