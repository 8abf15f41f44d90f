import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { S3Response } from "./client.js";
import { textOf } from "./xml.js";

/** An error response of S3. */
export class S3Error extends Error {
  override readonly name = "S3Error";
  /** The HTTP status. */
  readonly status: number;
  /** The error code of S3, such as `AccessDenied`. */
  readonly code: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;

  constructor(message: string, { status, code, attempt }: Pick<S3Error, "status" | "code" | "attempt">) {
    super(message);
    this.status = status;
    this.code = code;
    this.attempt = attempt;
  }
}

const remedies: Readonly<Record<string, string>> = {
  AccessDenied: "Allow the call in the policy of these keys.",
  Forbidden: "Check the keys and their policy.",
  InvalidAccessKeyId: "Check the access key id.",
  SignatureDoesNotMatch: "Check the secret access key and the region.",
  ExpiredToken: "Renew the keys.",
  BadRequest: "Check the region and the keys.",
  NoSuchBucket: "Check the name of the bucket and the endpoint.",
  NotFound: "Check the name of the bucket and the endpoint.",
  RequestTimeTooSkewed: "Set the clock of this machine.",
  AuthorizationHeaderMalformed: "Check the region.",
  PermanentRedirect: "Name the endpoint of the region that the bucket is in.",
  TemporaryRedirect: "Name the endpoint of the region that the bucket is in.",
  NotImplemented: "This server lacks the call; blobs need one that has it.",
};

/** The code for a response to HEAD, which has no body. */
const codes: Readonly<Record<number, string>> = {
  301: "PermanentRedirect",
  307: "TemporaryRedirect",
  400: "BadRequest",
  403: "Forbidden",
  404: "NotFound",
  412: "PreconditionFailed",
  501: "NotImplemented",
  503: "ServiceUnavailable",
};

/** A server that does not implement a call will not implement it later: this 5xx is permanent. */
const notImplemented = 501;

/** Codes of temporary errors, besides the other 5xx and 429. `InternalError` may come with status 200, if the head was sent before the error. */
const passing = new Set([
  "InternalError",
  "ServiceUnavailable",
  "SlowDown",
  "RequestTimeout",
  "OperationAborted",
  "Throttling",
  "ThrottlingException",
]);

/** The error for a response. Only its code is used: the rest may repeat what was signed, and with which keys. */
export function errorOf(name: string, response: Pick<S3Response, "status" | "header">, text: string, attempt: number): S3Error {
  const { status } = response;
  const said = textOf(text, "Code") ?? "";
  const code = /^[A-Za-z0-9.]{1,64}$/.test(said) ? said : (codes[status] ?? "an unknown answer");
  const region = response.header("x-amz-bucket-region") ?? textOf(text, "Region");
  const hint = region !== undefined && /^[a-z0-9-]{1,32}$/.test(region) ? ` The bucket is in the region ${region}.` : "";
  const remedy = remedies[code] === undefined ? "" : ` ${remedies[code]}`;
  return new S3Error(`S3 refused ${name}: ${status} ${code}.${remedy}${hint}`, { status, code, attempt });
}

/** Whether a retry may succeed: after network errors, and after errors that S3 documents as temporary. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof S3Error) return (error.status >= 500 && error.status !== notImplemented) || error.status === 429 || passing.has(error.code);
  // Node's errors about the request itself, such as an invalid header character, have no cause; the network errors of `fetch` have one.
  return !(error instanceof TypeError) || error.cause !== undefined;
}

/** The error of a call that is not retried, or not again. */
export function finalError(name: string, error: unknown): unknown {
  if (!isTemporary(error) || error instanceof Unavailable) return error;
  if (error instanceof S3Error)
    return new Unavailable(`S3 cannot answer ${name} now: ${error.status} ${error.code}. Try again later.`, { cause: error });
  return new Unavailable(`S3 cannot be reached for ${name}: ${reasonOf(error)}. Check that it runs and that the endpoint is right.`, {
    cause: error,
  });
}

/** The error for several addresses has no message of its own. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "the connection failed";
  const code = "code" in error ? String(error.code) : "";
  return error.message || code || "the connection failed";
}
