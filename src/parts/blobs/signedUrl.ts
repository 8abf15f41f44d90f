import { createHmac, timingSafeEqual } from "node:crypto";
import { ProblemError } from "../../ground/problem/index.js";
import type { Secrets } from "../../ground/secrets/secrets.js";

/** The request that a signed URL allows, and the owner of its target. */
export interface SignedUse {
  /** `GET` (and with it HEAD), `PUT`. */
  readonly method: string;
  /** Still percent-encoded, without a query, e.g. `/exports/7/download`. The mount before it is not signed. */
  readonly path: string;
  /** The owner of the target. It is signed but not part of the URL: the verifier must know it. */
  readonly owner?: string | undefined;
}

interface SigningKey {
  /** Identified by `k`, so that secrets can be rotated without interruption. */
  readonly id: string;
  readonly key: Buffer;
}

/** The parameters of a signed query: expiry, key, signature. */
interface SignedQuery {
  /** Unix seconds. */
  readonly e: string;
  readonly k: string;
  readonly s: string;
}

const version = 1;
const label = "signed-url";
const parameter = /^([eks])=([A-Za-z0-9_-]+)$/;
/** The only valid spelling. */
const seconds = /^[1-9]\d{0,11}$/;

/**
 * The path with a query that allows anyone to use it until it expires: HMAC-SHA256 over version, method, path, expiry and owner.
 *
 * @param expiresAt Unix seconds; the URL is invalid from then on
 * @throws {RangeError} for an expiry that is not a whole number of seconds
 * @example
 * signUrl(secrets, { method: "GET", path: "/files/7", owner: "ada" }, 1_767_225_600); // "/files/7?e=1767225600&k=…&s=…"
 */
export function signUrl(secrets: Secrets, use: SignedUse, expiresAt: number): string {
  const e = String(expiresAt);
  if (!seconds.test(e)) throw new RangeError(`A signed URL must expire at a whole number of seconds since 1970; got ${e}.`);
  const [current] = keysOf(secrets);
  if (current === undefined) throw new Error("The list of secrets is empty.");
  return `${use.path}?e=${e}&k=${current.id}&s=${codeOf(current.key, use, e).toString("base64url")}`;
}

/**
 * Refuses a URL whose signature is invalid, that was changed, or that has expired.
 *
 * @param query raw, without `?`: exactly the three parameters, each once
 * @param nowMs milliseconds since the epoch
 * @throws {ProblemError} INVALID_SIGNATURE
 */
export function verifySignedUrl(secrets: Secrets, use: SignedUse, query: string, nowMs: number): void {
  const signed = parseSignedQuery(query);
  const key = keysOf(secrets).find(({ id }) => id === signed?.k);
  const method = use.method === "HEAD" ? "GET" : use.method;
  if (signed === undefined || key === undefined || !isCode(codeOf(key.key, { ...use, method }, signed.e), signed.s)) {
    throw new ProblemError("INVALID_SIGNATURE", "The signature of this address is not valid: it was changed, or its secret is no longer in use.");
  }
  if (nowMs >= Number(signed.e) * 1_000) {
    const detail = `This address was valid until ${new Date(Number(signed.e) * 1_000).toISOString()}. Request a new one from its issuer.`;
    throw new ProblemError("INVALID_SIGNATURE", detail);
  }
}

/** Whether a query looks like that of a signed URL. */
export function isSignedQuery(query: string): boolean {
  return /(?:^|&)s=/.test(query);
}

/** `undefined` if a parameter is missing, repeated or unknown. */
function parseSignedQuery(query: string): SignedQuery | undefined {
  const values = new Map<string, string>();
  const parts = query.split("&");
  for (const part of parts) {
    const [, name, value] = parameter.exec(part) ?? [];
    if (name === undefined || value === undefined) return undefined;
    values.set(name, value);
  }
  const [e, k, s] = [values.get("e"), values.get("k"), values.get("s")];
  if (parts.length !== 3 || e === undefined || k === undefined || s === undefined || !seconds.test(e)) return undefined;
  return { e, k, s };
}

function codeOf(key: Buffer, { method, path, owner }: SignedUse, e: string): Buffer {
  return createHmac("sha256", key)
    .update(JSON.stringify([version, method, path, e, owner ?? null]))
    .digest();
}

function isCode(expected: Buffer, text: string): boolean {
  const given = Buffer.from(text, "base64url");
  // Another spelling of the same bytes is not the signed text.
  return given.length === expected.length && given.toString("base64url") === text && timingSafeEqual(given, expected);
}

const keys = new WeakMap<Secrets, readonly SigningKey[]>();

function keysOf(secrets: Secrets): readonly SigningKey[] {
  const known = keys.get(secrets);
  if (known !== undefined) return known;
  const ids = secrets.derive(`${label}-id`, 6).map((id) => id.toString("base64url"));
  const made = secrets.derive(label, 32).map((key, index): SigningKey => ({ id: ids[index] ?? "", key }));
  keys.set(secrets, made);
  return made;
}
