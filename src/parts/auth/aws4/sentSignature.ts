import { credentialsOf } from "../authorization.js";
import { type AuthRequest, type Failure, failure } from "../verifier.js";
import type { QueryPair } from "./canonicalRequest.js";
import { parseQueryPairs } from "./canonicalTarget.js";
import { aws4Scheme } from "./signature.js";

/** A signature as a request contains it, in its headers or in its query. Everything in it is unverified. */
export interface SentSignature {
  readonly accessKeyId: string;
  /** The part of the credential after the access key: `20150830/us-east-1/service/aws4_request`. */
  readonly scope: string;
  /** Names in lower case, in ascending order. */
  readonly signedHeaders: readonly string[];
  /** 64 hexadecimal digits in lower case. */
  readonly signature: string;
  /** All parameters of the query that are signed. */
  readonly query: readonly QueryPair[];
  /** The parameters of a signature in the query. */
  readonly parameters?: ReadonlyMap<string, string> | undefined;
}

/** The query parameters of a signature, in addition to those of the API. */
export const aws4Parameters: readonly string[] = [
  "X-Amz-Algorithm",
  "X-Amz-Credential",
  "X-Amz-Date",
  "X-Amz-Expires",
  "X-Amz-SignedHeaders",
  "X-Amz-Signature",
  "X-Amz-Security-Token",
  "X-Amz-Content-Sha256",
];

/** A query with one of these parameters has a signature. */
const identifying = ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature"];

/** The signature of a request; `null` if it has none, failure if it is malformed or if there are two. Never throws. */
export function readSentSignature(request: AuthRequest): SentSignature | null | Failure {
  const header = credentialsOf(request, aws4Scheme);
  // Node decodes the bytes of a target as Latin-1, also if a client sends UTF-8 without percent-encoding.
  const query = pairsOf(Buffer.from(request.query, "latin1").toString());
  if (query === undefined) return header === undefined ? null : failure;
  const names = query.map(([name]) => name);
  const isInQuery = identifying.some((name) => names.includes(name));
  if (header === undefined) return isInQuery ? readParameters(query) : null;
  return isInQuery ? failure : readHeader(header, query);
}

function pairsOf(query: string): readonly QueryPair[] | undefined {
  try {
    return parseQueryPairs(query);
  } catch {
    return undefined;
  }
}

/** `Credential=…, SignedHeaders=…, Signature=…`, in any order. */
function readHeader(header: string, query: readonly QueryPair[]): SentSignature | Failure {
  const members = new Map<string, string>();
  for (const member of header.split(",")) {
    const equals = member.indexOf("=");
    const name = member.slice(0, Math.max(equals, 0)).trim();
    if (members.has(name)) return failure;
    members.set(name, member.slice(equals + 1).trim());
  }
  if (members.size !== 3) return failure;
  return parts(members.get("Credential"), members.get("SignedHeaders"), members.get("Signature"), query);
}

function readParameters(query: readonly QueryPair[]): SentSignature | Failure {
  const parameters = new Map<string, string>();
  for (const [name, value] of query) {
    if (!aws4Parameters.includes(name)) continue;
    if (parameters.has(name)) return failure;
    parameters.set(name, value);
  }
  if (parameters.get("X-Amz-Algorithm") !== aws4Scheme) return failure;
  const [credential, signedHeaders, signature] = ["X-Amz-Credential", "X-Amz-SignedHeaders", "X-Amz-Signature"].map((name) => parameters.get(name));
  const signed = query.filter(([name]) => name !== "X-Amz-Signature");
  const sent = parts(credential, signedHeaders, signature, signed);
  return sent === failure ? failure : { ...sent, parameters };
}

function parts(
  credential: string | undefined,
  signedHeaders: string | undefined,
  signature: string | undefined,
  query: readonly QueryPair[],
): SentSignature | Failure {
  if (credential === undefined || signedHeaders === undefined || signature === undefined) return failure;
  const slash = credential.indexOf("/");
  const accessKeyId = credential.slice(0, Math.max(slash, 0));
  const names = signedHeaders.split(";");
  const isSorted = names.every((name, index) => /^[!#-'*+.^_`a-z|~\d-]+$/.test(name) && (index === 0 || name > (names[index - 1] ?? "")));
  if (!/^[\x21-\x7e]{1,128}$/.test(accessKeyId) || !isSorted || !/^[\da-f]{64}$/.test(signature)) return failure;
  return { accessKeyId, scope: credential.slice(slash + 1), signedHeaders: names, signature, query };
}
