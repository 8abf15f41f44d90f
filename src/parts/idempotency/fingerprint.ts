import { createHash, hash } from "node:crypto";
import { canonicalJson } from "../../ground/http/json/canonicalJson.js";

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
