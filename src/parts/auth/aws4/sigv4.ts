import { type Clock, systemClock } from "../../../ground/clock/clock.js";
import { parseHttpDate } from "../../../ground/http/headers/dates.js";
import { callable, clock, flag, optionsCheck, passing, strict, texts, whole } from "../../../ground/options/index.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { formatChallenge } from "../challenge.js";
import { equalSecrets } from "../secret.js";
import { signedBody } from "../signedBody.js";
import { type AuthRequest, failure, type Principal, type Verdict, type Verifier } from "../verifier.js";
import { canonicalPath } from "./canonicalTarget.js";
import { maxPresignedSeconds } from "./maxPresignedSeconds.js";
import { aws4Parameters, readSentSignature, type SentSignature } from "./sentSignature.js";
import { type Aws4Scope, aws4Scheme, aws4Signature, aws4Timestamp, formatScope, parseAws4Timestamp } from "./signature.js";
import { signedFields } from "./signedFields.js";

/** The secret of an access key, and who has it. */
export interface AccessKey {
  readonly secretAccessKey: string;
  readonly principal: Principal;
  /** The token that requests with temporary credentials must contain. Without it, requests with a token are refused. */
  readonly sessionToken?: string | undefined;
}

/** Options of {@link sigv4}. */
export interface SigV4Options {
  /** Finds an access key; no result means that it does not exist. */
  readonly secret: (accessKeyId: string) => AccessKey | null | undefined | Promise<AccessKey | null | undefined>;
  /** The name of the service that clients sign for. `s3` has rules of its own for paths and presigned URLs. */
  readonly service: string;
  /** The name of the region that clients sign for. */
  readonly region: string;
  /** How far the date of a request may differ from the clock, in milliseconds. Defaults to 900,000 (15 minutes). */
  readonly clockSkewMs?: number | undefined;
  /** The longest validity of a presigned URL, in seconds. Defaults to 604,800 (7 days), which is also the maximum. */
  readonly maxExpiresSeconds?: number | undefined;
  /** Whether a request may leave its body unsigned, as `UNSIGNED-PAYLOAD`. Defaults to `false`. */
  readonly allowUnsignedPayload?: boolean | undefined;
  /** Further headers that must be signed where they are sent, such as one that names the tenant. */
  readonly signedHeaders?: readonly string[] | undefined;
  /** Tells the time. Defaults to the clock of the system. */
  readonly clock?: Clock | undefined;
}

const dayMs = 86_400_000;

const name = () => passing('a name of letters, digits, ".", "_" and "-"', (value) => typeof value === "string" && /^[\w.-]{1,64}$/.test(value));

const checkOptions = /* @__PURE__ */ optionsCheck("sigv4", () =>
  strict<SigV4Options>(
    {
      secret: callable(),
      service: name(),
      region: name(),
      clockSkewMs: whole(0, dayMs),
      maxExpiresSeconds: whole(1, maxPresignedSeconds),
      allowUnsignedPayload: flag(),
      signedHeaders: texts(),
      clock: clock(),
    },
    ["secret", "service", "region"],
  ),
);

type Settings = { readonly [Name in keyof SigV4Options]-?: NonNullable<SigV4Options[Name]> };

/**
 * Verifies requests that are signed with AWS Signature Version 4, in `Authorization` or in the query (presigned URLs).
 *
 * `host`, the date, every `x-amz-*` header and those that change what a request does (`X-HTTP-Method-Override`, `X-Tenant-ID`, `X-API-Version`, `Idempotency-Key`, `If-*`) must be
 * signed, and the body must be the one that was signed.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
 * @example
 * sigv4({ secret: (accessKeyId) => accessKeys.get(accessKeyId), service: "shop", region: "eu-west-1" });
 */
export function sigv4(options: SigV4Options): Verifier {
  checkOptions(options);
  const { secret, service, region, clockSkewMs = 900_000, maxExpiresSeconds = maxPresignedSeconds, allowUnsignedPayload = false } = options;
  const signedHeaders = (options.signedHeaders ?? []).map((header) => header.toLowerCase());
  const { clock = systemClock } = options;
  const settings: Settings = { secret, service, region, clockSkewMs, maxExpiresSeconds, allowUnsignedPayload, signedHeaders, clock };
  const challenge = formatChallenge(aws4Scheme, { service, region });
  return {
    scheme: aws4Scheme,
    parameters: aws4Parameters,
    openBody: signedBody,
    challenge: () => challenge,
    async verify(request) {
      const sent = readSentSignature(request);
      return sent === null || sent === failure ? sent : verifySignature(settings, request, sent);
    },
  };
}

async function verifySignature(settings: Settings, request: AuthRequest, sent: SentSignature): Promise<Verdict> {
  const { parameters } = sent;
  const fields = signedFields(request.rawHeaders, sent.signedHeaders, { method: request.method, further: settings.signedHeaders });
  const timestamp = fields && timestampOf(fields, parameters);
  if (fields === undefined || timestamp === undefined || !isCurrent(settings, timestamp, parameters)) return failure;
  const scope: Aws4Scope = { timestamp, region: settings.region, service: settings.service };
  if (sent.scope !== formatScope(scope)) return failure;
  const key = await settings.secret(sent.accessKeyId);
  const stated = statedHash(settings, fields, parameters);
  const payloadHash = stated ?? (await request.body?.sha256());
  const path = pathOf(request, settings);
  if (payloadHash === undefined || path === undefined) return failure;
  const signed = { method: request.method, path, query: sent.query, headers: fields, payloadHash };
  // An unknown access key takes as long as a wrong signature.
  const isRight = equalSecrets(aws4Signature(signed, key?.secretAccessKey ?? "", scope), sent.signature);
  const token = parameters === undefined ? fields["x-amz-security-token"] : parameters.get("X-Amz-Security-Token");
  const hasToken = equalSecrets(key?.sessionToken ?? "", token ?? "");
  if (!key || !isRight || !hasToken) return failure;
  return stated === undefined || (await acceptsBody(settings, request, stated)) ? key.principal : failure;
}

/** The text of the date that is signed; `undefined` if there is none. */
function timestampOf(fields: Readonly<Record<string, string>>, parameters: SentSignature["parameters"]): string | undefined {
  if (parameters !== undefined) return parameters.get("X-Amz-Date");
  const { date, "x-amz-date": timestamp } = fields;
  if (timestamp !== undefined || date === undefined) return timestamp;
  const ms = parseHttpDate(date);
  return ms === undefined ? undefined : aws4Timestamp(ms);
}

function isCurrent({ clock, clockSkewMs, maxExpiresSeconds }: Settings, timestamp: string, parameters: SentSignature["parameters"]): boolean {
  const signedMs = parseAws4Timestamp(timestamp);
  if (signedMs === undefined) return false;
  const ageMs = clock.now() - signedMs;
  if (parameters === undefined) return Math.abs(ageMs) <= clockSkewMs;
  const expires = parameters.get("X-Amz-Expires") ?? "";
  return /^[1-9]\d{0,5}$/.test(expires) && Number(expires) <= maxExpiresSeconds && ageMs >= -clockSkewMs && ageMs <= Number(expires) * 1_000;
}

/** What the request says about its body: a hash or a substitute; `undefined` if it says nothing. */
function statedHash({ service }: Settings, fields: Readonly<Record<string, string>>, parameters: SentSignature["parameters"]): string | undefined {
  const usual = parameters !== undefined && service === "s3" ? unsigned : undefined;
  return fields["x-amz-content-sha256"] ?? parameters?.get("X-Amz-Content-Sha256") ?? usual;
}

function pathOf({ target }: AuthRequest, { service }: Settings): string | undefined {
  const [path = ""] = target.split("?", 1);
  try {
    return canonicalPath(Buffer.from(path, "latin1").toString(), service);
  } catch {
    return undefined;
  }
}

const unsigned = "UNSIGNED-PAYLOAD";

/** @throws {ProblemError} UNSUPPORTED_MEDIA_TYPE for a body that is signed in chunks, UNAUTHENTICATED for another body than the one that was signed */
async function acceptsBody({ allowUnsignedPayload }: Settings, { body }: AuthRequest, stated: string): Promise<boolean> {
  if (stated === unsigned) return allowUnsignedPayload;
  if (stated.startsWith("STREAMING-")) {
    const detail = `A body that is signed in chunks (aws-chunked) is not supported; send the SHA-256 of the whole body in "x-amz-content-sha256".`;
    throw new ProblemError("UNSUPPORTED_MEDIA_TYPE", detail);
  }
  if (body === undefined || !/^[\da-f]{64}$/.test(stated)) return false;
  await body.expectSha256(stated);
  return true;
}
