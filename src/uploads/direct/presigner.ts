import { createHash } from "node:crypto";
import { signUrl, verifySignedUrl } from "../../blobs/signedUrl.js";
import { type Clock, systemClock } from "../../operation/clock.js";
import { ProblemError } from "../../problem/index.js";
import { Secrets } from "../../secrets/secrets.js";
import { exactly, requireAnnounced } from "./announcedBody.js";
import { isSeconds, longestSeconds } from "./presignRequest.js";

/** What a body has to be that is sent to a signed address. */
export interface PresignedBody {
  /** As its `Content-Type` has to be; any unless given. */
  readonly contentType?: string | undefined;
  /** In bytes, exactly; any unless given. */
  readonly size?: number | undefined;
  /** Of its bytes, in lower-case hex; any unless given. */
  readonly sha256?: string | undefined;
}

/** What an address is good for. */
export interface PresignedUse extends PresignedBody {
  /** An address for GET is one for HEAD as well. */
  readonly method: "GET" | "PUT";
  /** Still percent-encoded, without a query. */
  readonly path: string;
  /** Whatever else it belongs to, e.g. a user. It is signed and not sent along: whoever verifies has to know it. */
  readonly owner?: string | undefined;
}

/** A request that came to a signed address. */
export interface PresignedRequest {
  /** As sent. */
  readonly method: string;
  /** As it was signed. */
  readonly path: string;
  /** Raw, without `?`. */
  readonly query: string;
  /** As it was signed. */
  readonly owner?: string | undefined;
  /** The value of the header. */
  readonly contentType?: string | undefined;
  /** The value of the header. */
  readonly contentLength?: string | undefined;
  /** The value of the header. */
  readonly contentEncoding?: string | undefined;
}

/** What {@link presigner} signs with. */
export interface PresignerOptions {
  /** At least one, of 16 bytes or more: the first signs, all verify. */
  readonly secrets: readonly string[];
  /** That of the system unless given. */
  readonly clock?: Clock | undefined;
}

/** Signs addresses, and knows them again. */
export interface Presigner {
  /**
   * The path with a query that lets anybody use it for a time.
   *
   * @param expiresIn seconds, at most a week
   * @throws {RangeError}
   */
  sign(use: PresignedUse, expiresIn: number): string;
  /**
   * Refuses what was not signed like this, what was changed since, and what is over; of a PUT also a body that says it is another than the one that was signed for.
   *
   * @returns what the body has to be, for `presignedBytes`
   * @throws {ProblemError} INVALID_SIGNATURE, LENGTH_REQUIRED, FILE_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
   */
  verify(request: PresignedRequest): PresignedBody;
}

/**
 * Signed addresses for a server of your own. What a body has to be stands in the address: `t` its type, `n` its size, `h` its SHA-256. Whether an address was used
 * before is for the server to know.
 *
 * @throws {ConfigurationError} for no secret, or one that is too short
 * @example
 * const { sign, verify } = presigner({ secrets: [process.env.SECRET] });
 * sign({ method: "PUT", path: "/files/7", contentType: "image/png", size: 5 }, 900); // "/files/7?e=…&k=…&s=…&t=image%2Fpng&n=5"
 */
export function presigner({ secrets: texts, clock = systemClock }: PresignerOptions): Presigner {
  const secrets = new Secrets(texts);
  return {
    sign({ method, path, owner, ...body }, expiresIn) {
      if (!isSeconds(expiresIn)) throw new RangeError(`An address is signed for 1 to ${longestSeconds} seconds; got ${expiresIn}.`);
      requireSignable(body);
      const parameters = parametersOf(body);
      const use = { method, path, owner: ownerOf(owner, parameters) };
      return signUrl(secrets, use, Math.floor(clock.now() / 1_000) + expiresIn) + written(parameters);
    },
    verify({ method, path, query, owner, ...sent }) {
      const { parameters, rest } = parseParameters(query);
      verifySignedUrl(secrets, { method, path, owner: ownerOf(owner, parameters) }, rest, clock.now());
      const body = bodyOf(parameters);
      if (method === "PUT") requireAnnounced(headersOf(sent), body);
      return body;
    },
  };
}

/**
 * The bytes of a body, as long as they are those that its address was signed for.
 *
 * @throws {ProblemError} FILE_TOO_LARGE, UPLOAD_INCOMPLETE, CHECKSUM_MISMATCH, the latter two at their end: what was kept until then has to go
 */
export async function* presignedBytes(
  source: AsyncIterable<Uint8Array>,
  { size, sha256 }: PresignedBody,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = sha256 === undefined ? undefined : createHash("sha256");
  for await (const chunk of size === undefined ? source : exactly(size, source)) {
    hash?.update(chunk);
    yield chunk;
  }
  if (hash !== undefined && hash.digest("hex") !== sha256)
    throw new ProblemError("CHECKSUM_MISMATCH", "The body has another SHA-256 than its address was signed for.");
}

function requireSignable({ contentType, size, sha256 }: PresignedBody): void {
  if (contentType === "") throw new RangeError("An address cannot be signed for an empty media type.");
  if (size !== undefined && !(Number.isSafeInteger(size) && size >= 0)) throw new RangeError(`${size} is no number of bytes.`);
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256)) throw new RangeError("A SHA-256 is 64 hexadecimal digits in lower case.");
}

/** What a body has to be, as it is written in an address. */
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

/** What is signed besides the path. Of the parameters it is their spelling, so that there is one for each. */
function ownerOf(owner: string | undefined, { t, n, h }: Parameters): string {
  return JSON.stringify([owner ?? null, t ?? null, n ?? null, h ?? null]);
}

/** @throws {ProblemError} INVALID_SIGNATURE where one stands twice; what is none is left to the signature */
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

/** @param parameters whose signature was verified: they are of our own making */
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
