import type { RequestHeaders } from "../../ground/http/headers/headers.js";
import type { HttpRequest, RawHeaders } from "../../ground/http/message.js";
import type { ProblemError } from "../../ground/problem/index.js";

/** Who sends a request. Id and tenant together identify the owner of data. */
export interface Principal {
  /** At least one character. */
  readonly id: string;
  /** At least one character, if there is one. */
  readonly tenant?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Further claims of the credentials. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** The body of a request, for verifiers of signatures that cover it. */
export interface AuthBody {
  /**
   * The SHA-256 of the body in lower-case hexadecimal digits. Reads the body into memory, up to the limit of the operation; later steps get the same bytes.
   * `undefined` if the operation receives its body as a stream.
   *
   * @throws {ProblemError} PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT; INTERNAL if a body parser of the host has already parsed the body
   */
  sha256(): Promise<string | undefined>;
  /**
   * Requires that the body has this SHA-256. A body that is still to arrive is compared when it ends; if it differs, the request fails with UNAUTHENTICATED
   * before anything is written.
   *
   * @param sha256Hex in lower-case hexadecimal digits
   * @throws {ProblemError} UNAUTHENTICATED; INTERNAL if a body parser of the host has already parsed the body
   */
  expectSha256(sha256Hex: string): Promise<void>;
}

/** A body that a verifier may check, as the service goes on with it. */
export interface SignedBody extends AuthBody {
  /** The request for the operation: its body is the one that was read, or one that fails at its end if it is not the body that was signed. */
  readonly request: HttpRequest;
  /**
   * Refuses a body that was not read to its end, because it could not be compared.
   *
   * @throws {ProblemError} UNAUTHENTICATED
   */
  requireCompared(): void;
}

/** The body of a request before anything has read it. */
export interface ArrivedBody {
  readonly request: HttpRequest;
  readonly headers: RequestHeaders;
  /** Whether the operation receives its body as a stream. */
  readonly isStreamed: boolean;
  /** Reads the body of a request into memory, up to the limit of the operation. @throws {ProblemError} PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT */
  read(request: HttpRequest): Uint8Array | Promise<Uint8Array>;
  /** The 401 for another body than the one that was signed. */
  refuse(): ProblemError;
}

/** A request as verifiers see it. */
export interface AuthRequest {
  readonly method: string;
  /** The whole target, raw: mount, path and `?query`. */
  readonly target: string;
  /** Below the mount, still percent-encoded. */
  readonly path: string;
  /** Raw, without `?`. */
  readonly query: string;
  readonly headers: RequestHeaders;
  /** The header lines as received, for signatures that depend on how often a header was sent. */
  readonly rawHeaders: RawHeaders;
  /** Present if a verifier has `openBody`. */
  readonly body?: AuthBody | undefined;
  /** The peer's address. */
  readonly address?: string | undefined;
  /** The host's own request object. */
  readonly native: unknown;
}

/** The credentials belong to this verifier's scheme, but they are wrong. */
export const failure: unique symbol = Symbol.for("restwright.failure");

export type Failure = typeof failure;

/** A principal; `null` if there are no credentials of this kind; {@link failure} if they are wrong. */
export type Verdict = Principal | null | Failure;

/**
 * One authentication scheme. What a client sends makes it throw only a ProblemError, such as a 403 for a token that lacks a scope, or what {@link AuthBody}
 * throws; wrong credentials are a {@link failure}.
 */
export interface Verifier {
  /** Name of the scheme, e.g. `Bearer`. */
  readonly scheme: string;
  /** Headers that can contain the credentials, for `Vary`; defaults to `Authorization`. */
  readonly headers?: readonly string[] | undefined;
  /** Query parameters that can contain the credentials, as in `lists.ignoreParameters`: other parsers of the query ignore them. */
  readonly parameters?: readonly string[] | undefined;
  /** How the OpenAPI document names a scheme of your own: `{ type: "apiKey", in: "cookie", name: "sid" }`. */
  readonly securityScheme?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The scheme's value of WWW-Authenticate, or one for each line; `undefined` if it should not be offered to this request.
   *
   * @param request the same object that `verify` has had, if it was called
   */
  challenge(request: AuthRequest): string | readonly string[] | undefined;
  verify(request: AuthRequest): Verdict | Promise<Verdict>;
  /** Called when the service starts. Rejects if nothing can be verified, such as with a package that is not installed. */
  readonly start?: (() => Promise<void>) | undefined;
  /** Set to `signedBody` by a verifier of signatures that cover the body: the request then has `body`. */
  readonly openBody?: ((arrived: ArrivedBody) => SignedBody) | undefined;
}

/** The result of a look-up of credentials: `null` or `undefined` for no principal. */
export type Found = Principal | null | undefined;

/** The principal of requests without credentials, if those are allowed. */
export const anonymous: Principal = /* @__PURE__ */ Object.freeze({ id: "anonymous" });
