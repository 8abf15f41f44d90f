import type { RequestHeaders } from "../http/headers.js";

/** Who sends a request. Id and tenant together identify the owner of data. */
export interface Principal {
  readonly id: string;
  readonly tenant?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Further claims of the credentials. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** A request as verifiers see it: without its body. */
export interface AuthRequest {
  readonly method: string;
  /** The whole target, raw: mount, path and `?query`. */
  readonly target: string;
  /** Below the mount, still percent-encoded. */
  readonly path: string;
  /** Raw, without `?`. */
  readonly query: string;
  readonly headers: RequestHeaders;
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
 * One authentication scheme. What a client sends makes it throw only a ProblemError, such as a 403 for a token that lacks a scope; wrong credentials are a
 * {@link failure}.
 */
export interface Verifier {
  /** Name of the scheme, e.g. `Bearer`. */
  readonly scheme: string;
  /** Headers that can contain the credentials, for `Vary`; defaults to `Authorization`. */
  readonly headers?: readonly string[] | undefined;
  /** Query parameters that can contain the credentials, as in `lists.ignoreParameters`: other parsers of the query ignore them. */
  readonly parameters?: readonly string[] | undefined;
  /**
   * The scheme's value of WWW-Authenticate, or one for each line; `undefined` if it should not be offered to this request.
   *
   * @param request the same object that `verify` has had, if it was called
   */
  challenge(request: AuthRequest): string | readonly string[] | undefined;
  verify(request: AuthRequest): Verdict | Promise<Verdict>;
}

/** The result of a look-up of credentials: `null` or `undefined` for no principal. */
export type Found = Principal | null | undefined;

/** The principal of requests without credentials, if those are allowed. */
export const anonymous: Principal = Object.freeze({ id: "anonymous" });
