import type { RequestHeaders } from "../http/headers.js";

/** Who sends a request. Id and tenant together keep apart what belongs to whom. */
export interface Principal {
  readonly id: string;
  readonly tenant?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Whatever else the credentials say. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** A request as verifiers see it: without its body. */
export interface AuthRequest {
  readonly method: string;
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

/** The credentials are this verifier's, but they are wrong. */
export const failure: unique symbol = Symbol.for("restwright.failure");

export type Failure = typeof failure;

/** A principal; `null` where there are no credentials of this kind; {@link failure} where they are wrong. */
export type Verdict = Principal | null | Failure;

/** One authentication scheme. It throws for faults of its own only, never for what a client sends. */
export interface Verifier {
  /** Name of the scheme, e.g. `Bearer`. */
  readonly scheme: string;
  /** Headers that the credentials can stand in, for `Vary`; `Authorization` alone unless said otherwise. */
  readonly headers?: readonly string[] | undefined;
  /** The scheme's value of WWW-Authenticate; `undefined` where it should not be offered to this request. */
  challenge(request: AuthRequest): string | undefined;
  verify(request: AuthRequest): Verdict | Promise<Verdict>;
}

/** What a look-up of credentials answers: nobody is `null` or `undefined`. */
export type Found = Principal | null | undefined;

/** The principal of requests without credentials, where those are allowed. */
export const anonymous: Principal = Object.freeze({ id: "anonymous" });
