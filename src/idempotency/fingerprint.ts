import { createHash, hash } from "node:crypto";
import { ProblemError } from "../problem/index.js";

/** The parts of a request that its fingerprint covers. */
export interface FingerprintInput {
  readonly method: string;
  /** Mount, path and raw query. */
  readonly target: string;
  /** Essence of the Content-Type; empty without a body. */
  readonly mediaType: string;
  /** The `handling` preference, which decides what a batch does. */
  readonly handling: string;
  /** A parsed JSON value, raw bytes, or nothing. */
  readonly body: { readonly json: unknown } | { readonly bytes: Uint8Array } | undefined;
}

/** SHA-256 of a request in base64url: a second request with the same key and another fingerprint is a mistake of the client. */
export function fingerprintOf(input: FingerprintInput): string {
  const { body } = input;
  const head = headOf(input);
  if (body === undefined) return sha256(head);
  if ("json" in body) return sha256(head + canonicalJson(body.json));
  return createHash("sha256").update(head).update(body.bytes).digest("base64url");
}

/** What is hashed before the body. */
export function headOf({ method, target, mediaType, handling }: FingerprintInput): string {
  return JSON.stringify(["v1", method, target, mediaType, handling]);
}

/** Nesting beyond this would exhaust the stack. */
const maxDepth = 512;

/**
 * Canonical JSON text, independent of white space and the order of members.
 *
 * Values that JSON cannot express (an infinite number, −0, a bigint) have their own spelling, because body parsers of hosts can produce them.
 *
 * @throws {ProblemError} MALFORMED_JSON beyond 512 levels of nesting
 * @see RFC 8785, whose number format is that of `JSON.stringify`
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > maxDepth) throw new ProblemError("MALFORMED_JSON", `Arrays and objects are nested deeper than ${maxDepth} levels.`);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : String(value);
  if (Array.isArray(value)) return `[${value.map((element) => canonicalJson(element, depth + 1)).join(",")}]`;
  if ("toJSON" in value && typeof value.toJSON === "function") return canonicalJson(value.toJSON(), depth + 1);
  return `{${sortedMembers(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member, depth + 1)}`)
    .join(",")}}`;
}

/** The members of an object in the order of canonical JSON. */
export function sortedMembers(value: object): [name: string, member: unknown][] {
  return Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Identifies a principal in a fixed size; its records are counted by this. */
export function ownerId(tenant: string | undefined, principal: string): string {
  return sha256(JSON.stringify([tenant ?? null, principal]));
}

/** Id of a record: a hash of caller and key, in a fixed size. Two principals never share one. */
export function recordId(tenant: string | undefined, principal: string, key: string): string {
  return sha256(JSON.stringify([tenant ?? null, principal, key]));
}

function sha256(text: string): string {
  return hash("sha256", text, "base64url");
}
