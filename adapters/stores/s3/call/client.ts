/** A signed request. */
export interface S3Request {
  /** `GET`, `PUT`, `HEAD`, `POST` or `DELETE`. */
  readonly method: string;
  /** Including its query. */
  readonly url: URL;
  /** All headers except Host and Content-Length, to be sent unchanged. */
  readonly headers: Readonly<Record<string, string>>;
  /** Chunks in order; none for a request without a body. */
  readonly body: readonly Uint8Array[];
  /** Aborts the request and its response. */
  readonly signal: AbortSignal;
}

/** The head of a response, and its body as a stream. */
export interface S3Response {
  readonly status: number;
  /** The value of a header by its lower-case name; `undefined` if it is missing. */
  header(name: string): string | undefined;
  /** Can be iterated once; ending the iteration early releases the connection. `null` if there is no body. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Sends one request and resolves with the head of the response. Must not follow redirects, decode bodies or retry. */
export type S3Client = (request: S3Request) => Promise<S3Response>;
