import { argumentError, reading } from "../../../ground/problem/argument.js";
import { WebhookVerificationError } from "./verificationError.js";

/** Headers of a receiver: WHATWG `Headers`, those of node:http, or any record. */
export type ReceivedHeaders = { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The value of a header, case-insensitive; repeated lines are joined by a space.
 *
 * @throws {WebhookVerificationError} MISSING_HEADER
 * @throws {TypeError} for invalid headers
 */
export function receivedHeader(headers: ReceivedHeaders, name: Lowercase<string>): string {
  if (typeof headers !== "object" || headers === null || Array.isArray(headers))
    throw argumentError("headers", "Headers, or an object of headers", headers);
  const value = reading("headers", headers, () => (isGetter(headers) ? headers.get(name) : memberOf(headers, name)));
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookVerificationError("MISSING_HEADER", `The header "${name}" is missing.`);
}

function isGetter(headers: ReceivedHeaders): headers is { get(name: string): string | null } {
  return typeof headers["get"] === "function";
}

function memberOf(headers: Readonly<Record<string, string | readonly string[] | undefined>>, name: string): string | undefined {
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name && value !== undefined) return Array.isArray(value) ? value.join(" ") : (value as string);
  }
  return undefined;
}
