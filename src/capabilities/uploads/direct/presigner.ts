import { createHash } from "node:crypto";
import { type Clock, systemClock } from "../../../ground/clock/clock.js";
import { clock as clockSchema, optionsCheck, strict, texts } from "../../../ground/options/index.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { Secrets } from "../../../ground/secrets/secrets.js";
import { maxPresignedSeconds } from "../../../parts/auth/aws4/maxPresignedSeconds.js";
import { signUrl, verifySignedUrl } from "../../../parts/blobs/signedUrl.js";
import { isSeconds } from "./presignRequest.js";
import { requireExactLength, validateSignedBody } from "./signedBody.js";

/** Requirements on a body that is sent to a signed URL. */
export interface PresignedBody {
  /** Required `Content-Type`; any if `undefined`. */
  readonly contentType?: string | undefined;
  /** Exact size in bytes; any if `undefined`. */
  readonly size?: number | undefined;
  /** SHA-256 of the body in lower-case hex; any if `undefined`. */
  readonly sha256?: string | undefined;
}

/** The use that a URL is signed for. */
export interface PresignedUse extends PresignedBody {
  /** A URL signed for GET is also valid for HEAD. */
  readonly method: "GET" | "PUT";
  /** Still percent-encoded, without a query. */
  readonly path: string;
  /** Additional context, e.g. a user. It is signed, but the URL does not contain it: pass the same value to `verify`. */
  readonly owner?: string | undefined;
}

/** A request to a signed URL. */
export interface PresignedRequest {
  /** As sent. */
  readonly method: string;
  /** The value that was signed. */
  readonly path: string;
  /** Raw, without `?`. */
  readonly query: string;
  /** The value that was signed. */
  readonly owner?: string | undefined;
  /** The value of the header. */
  readonly contentType?: string | undefined;
  /** The value of the header. */
  readonly contentLength?: string | undefined;
  /** The value of the header. */
  readonly contentEncoding?: string | undefined;
}

/** Options of {@link presigner}. */
export interface PresignerOptions {
  /** At least one, each of 16 bytes or more: the first signs, all verify. */
  readonly secrets: readonly string[];
  /** Tells the time. Defaults to the system clock. */
  readonly clock?: Clock | undefined;
}

const check = /* @__PURE__ */ optionsCheck("presigner", () => strict<PresignerOptions>({ secrets: texts(), clock: clockSchema() }, ["secrets"]));

/** Signs and verifies URLs. */
export interface Presigner {
  /**
   * Returns the path with a signed query; without credentials, it is valid until it expires.
   *
   * @param expiresIn seconds, at most a week
   * @throws {RangeError} if `expiresIn` or a requirement on the body is invalid
   */
  sign(use: PresignedUse, expiresIn: number): string;
  /**
   * Rejects a URL whose signature is invalid or expired. For PUT, it also rejects a body whose headers do not match what was signed.
   *
   * @returns the requirements on the body, for `presignedBytes`
   * @throws {ProblemError} INVALID_SIGNATURE, LENGTH_REQUIRED, FILE_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
   */
  verify(request: PresignedRequest): PresignedBody;
}

/**
 * Signs URLs for your own server. The URL contains the requirements on the body: `t` is its type, `n` its size, `h` its SHA-256. A URL can be used more than once
 * unless the server prevents it.
 *
 * @throws {ConfigurationError} if secrets are missing or too short
 * @example
 * const { sign, verify } = presigner({ secrets: [process.env.SECRET] });
 * sign({ method: "PUT", path: "/files/7", contentType: "image/png", size: 5 }, 900); // "/files/7?e=…&k=…&s=…&t=image%2Fpng&n=5"
 */
export function presigner(options: PresignerOptions): Presigner {
  check(options);
  const { clock = systemClock } = options;
  const secrets = new Secrets(options.secrets);
  return {
    sign({ method, path, owner, ...body }, expiresIn) {
      if (!isSeconds(expiresIn)) throw new RangeError(`"expiresIn" must be 1 to ${maxPresignedSeconds} seconds; got ${expiresIn}.`);
      requireSignable(body);
      const parameters = parametersOf(body);
      const use = { method, path, owner: ownerOf(owner, parameters) };
      return signUrl(secrets, use, Math.floor(clock.now() / 1_000) + expiresIn) + written(parameters);
    },
    verify({ method, path, query, owner, ...sent }) {
      const { parameters, rest } = parseParameters(query);
      verifySignedUrl(secrets, { method, path, owner: ownerOf(owner, parameters) }, rest, clock.now());
      const body = bodyOf(parameters);
      if (method === "PUT") validateSignedBody(headersOf(sent), body);
      return body;
    },
  };
}

/**
 * Passes the bytes of a body through, and fails if they do not match what its URL was signed for.
 *
 * @throws {ProblemError} FILE_TOO_LARGE, UPLOAD_INCOMPLETE, CHECKSUM_MISMATCH; the latter two at the end, so discard what was stored until then
 */
export async function* presignedBytes(
  source: AsyncIterable<Uint8Array>,
  { size, sha256 }: PresignedBody,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = sha256 === undefined ? undefined : createHash("sha256");
  for await (const chunk of size === undefined ? source : requireExactLength(size, source)) {
    hash?.update(chunk);
    yield chunk;
  }
  if (hash !== undefined && hash.digest("hex") !== sha256)
    throw new ProblemError("CHECKSUM_MISMATCH", "The SHA-256 of the body is not the one that its address was signed for.");
}

function requireSignable({ contentType, size, sha256 }: PresignedBody): void {
  if (contentType === "") throw new RangeError("An address cannot be signed for an empty media type.");
  if (size !== undefined && !(Number.isSafeInteger(size) && size >= 0)) throw new RangeError(`"size" must be a whole number of bytes; got ${size}.`);
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256)) throw new RangeError(`"sha256" must be 64 lower-case hexadecimal digits.`);
}

/** Requirements on a body, as encoded in the URL. */
interface Parameters {
  readonly t?: string | undefined;
  readonly n?: string | undefined;
  readonly h?: string | undefined;
}

const names = ["t", "n", "h"] as const;

function parametersOf({ contentType, size, sha256 }: PresignedBody): Parameters {
  return { t: contentType && encodeURIComponent(contentType), n: size === undefined ? undefined : String(size), h: sha256 };
}

function written({ t, n, h }: Parameters): string {
  return [t && `&t=${t}`, n && `&n=${n}`, h && `&h=${h}`].join("");
}

/** What is signed in addition to the path. Parameters are signed as encoded, so that each value has one spelling only. */
function ownerOf(owner: string | undefined, { t, n, h }: Parameters): string {
  return JSON.stringify([owner ?? null, t ?? null, n ?? null, h ?? null]);
}

/** @throws {ProblemError} INVALID_SIGNATURE if a parameter is repeated; other parameters are returned as `rest` for the signature check */
function parseParameters(query: string): { readonly parameters: Parameters; readonly rest: string } {
  const parameters: { t?: string; n?: string; h?: string } = {};
  const rest: string[] = [];
  for (const part of query.split("&")) {
    const key = names.find((name) => part.startsWith(`${name}=`));
    if (key === undefined) {
      rest.push(part);
      continue;
    }
    if (parameters[key] !== undefined) throw new ProblemError("INVALID_SIGNATURE", `The address has the parameter "${key}" more than once.`);
    parameters[key] = part.slice(2);
  }
  return { parameters, rest: rest.join("&") };
}

/** @param parameters trusted, because their signature was verified */
function bodyOf({ t, n, h }: Parameters): PresignedBody {
  return { contentType: t && decodeURIComponent(t), size: n === undefined ? undefined : Number(n), sha256: h };
}

function headersOf({ contentType, contentLength, contentEncoding }: Omit<PresignedRequest, "method" | "path" | "query" | "owner">) {
  const values = new Map([
    ["content-type", contentType],
    ["content-length", contentLength],
    ["content-encoding", contentEncoding],
  ]);
  return { get: (name: string) => values.get(name) };
}
