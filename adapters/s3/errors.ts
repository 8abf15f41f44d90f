import { Unavailable } from "../../src/storage/errors.js";
import type { S3Response } from "./client.js";
import { textOf } from "./xml.js";

/** What S3 answered in place of what it was asked for. */
export class S3Error extends Error {
  override readonly name = "S3Error";
  /** Of HTTP. */
  readonly status: number;
  /** `AccessDenied`, as S3 says it. */
  readonly code: string;
  /** The how manyth try of the call it was, from 1. */
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

/** What the answer to HEAD has no body to say. */
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

/** What a server cannot do now it cannot do later: this one of 5xx does not pass. */
const notImplemented = 501;

/** Codes of what may pass, besides the other 5xx and 429. `InternalError` may come with 200, when the head had gone out already. */
const passing = new Set([
  "InternalError",
  "ServiceUnavailable",
  "SlowDown",
  "RequestTimeout",
  "OperationAborted",
  "Throttling",
  "ThrottlingException",
]);

/** The error that an answer is. Only its code is taken over: the rest of it may say what was signed, and with which keys. */
export function errorOf(name: string, response: Pick<S3Response, "status" | "header">, text: string, attempt: number): S3Error {
  const { status } = response;
  const said = textOf(text, "Code") ?? "";
  const code = /^[A-Za-z0-9.]{1,64}$/.test(said) ? said : (codes[status] ?? "an unknown answer");
  const region = response.header("x-amz-bucket-region") ?? textOf(text, "Region");
  const hint = region !== undefined && /^[a-z0-9-]{1,32}$/.test(region) ? ` The bucket is in the region ${region}.` : "";
  const remedy = remedies[code] === undefined ? "" : ` ${remedies[code]}`;
  return new S3Error(`S3 refused ${name}: ${status} ${code}.${remedy}${hint}`, { status, code, attempt });
}

/** Whether another try may end otherwise: what is wrong with the network, and what S3 says to be so. */
export function mayPass(error: unknown): boolean {
  if (error instanceof S3Error) return (error.status >= 500 && error.status !== notImplemented) || error.status === 429 || passing.has(error.code);
  // What Node says against a request itself, such as a character that no header can carry, has no cause; what `fetch` says of the network has.
  return !(error instanceof TypeError) || error.cause !== undefined;
}

/** What a call ends with when it was not tried again, or for the last time. */
export function finalError(name: string, error: unknown): unknown {
  if (!mayPass(error) || error instanceof Unavailable) return error;
  if (error instanceof S3Error)
    return new Unavailable(`S3 cannot answer ${name} now: ${error.status} ${error.code}. Try again later.`, { cause: error });
  return new Unavailable(`S3 cannot be reached for ${name}: ${reasonOf(error)}. Check that it runs and that the endpoint is right.`, {
    cause: error,
  });
}

/** Of several addresses that were tried none has a message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "the connection failed";
  const code = "code" in error ? String(error.code) : "";
  return error.message || code || "the connection failed";
}
