import { WebhookVerificationError } from "./verificationError.js";

/** Headers as receivers have them: those of WHATWG, of node:http, or any record. */
export type ReceivedHeaders = { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The value of a header, whatever the case of its name; repeated lines are joined by a space.
 *
 * @throws {WebhookVerificationError} MISSING_HEADER
 */
export function receivedHeader(headers: ReceivedHeaders, name: Lowercase<string>): string {
  const value = isGetter(headers) ? headers.get(name) : memberOf(headers, name);
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookVerificationError("MISSING_HEADER", `The header "${name}" is missing.`);
}

function isGetter(headers: ReceivedHeaders): headers is { get(name: string): string | null } {
  return typeof headers["get"] === "function";
}

function memberOf(headers: Readonly<Record<string, string | readonly string[] | undefined>>, name: string): string | undefined {
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name && value !== undefined) return typeof value === "string" ? value : value.join(" ");
  }
  return undefined;
}
