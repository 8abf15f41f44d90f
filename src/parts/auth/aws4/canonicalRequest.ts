import { uriEncode } from "./uriEncode.js";

/** A name and a value of a query, both decoded. */
export type QueryPair = readonly [name: string, value: string];

/** The parts of a request that are signed. */
export interface Aws4Request {
  readonly method: string;
  /** Absolute, and encoded as the service requires: S3 encodes each segment once, all others twice. */
  readonly path: string;
  /** In any order, without the signature itself. */
  readonly query: readonly QueryPair[];
  /** The signed headers, including `host`, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The SHA-256 of the body in hexadecimal digits, or a substitute such as `UNSIGNED-PAYLOAD`. */
  readonly payloadHash: string;
}

/**
 * The canonical text of a request, equal for sender and receiver.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function canonicalRequest({ method, path, query, headers, payloadHash }: Aws4Request): string {
  const names = sortedNames(headers);
  const fields = names.map((name) => `${name}:${canonicalValue(headers[name] ?? "")}\n`);
  return [method, path, canonicalQuery(query), fields.join(""), names.join(";"), payloadHash].join("\n");
}

/** The value of a header without white space around it, and with single spaces in it. */
export function canonicalValue(value: string): string {
  return value.replace(/[ \t\r\n]+/g, " ").replace(/^ | $/g, "");
}

/** The names of the signed headers, as the signature lists them. */
export function signedHeaders({ headers }: Pick<Aws4Request, "headers">): string {
  return sortedNames(headers).join(";");
}

/** A query, encoded and in the order in which it is signed. */
export function canonicalQuery(query: readonly QueryPair[]): string {
  return query
    .map(([name, value]) => ({ name: uriEncode(name), value: uriEncode(value) }))
    .sort((one, other) => compare(one.name, other.name) || compare(one.value, other.value))
    .map(({ name, value }) => `${name}=${value}`)
    .join("&");
}

function sortedNames(headers: Aws4Request["headers"]): readonly string[] {
  return Object.keys(headers).sort(compare);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
