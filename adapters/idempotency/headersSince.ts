import type { OutgoingHttpHeader } from "node:http";
import type { ResponseHeaders } from "../../src/http/message.js";

/** Headers as the hosts have them. */
export type HostHeaders = Readonly<Record<string, OutgoingHttpHeader | readonly string[] | undefined>>;

/** Headers that were set or changed since: those that a middleware before has set are set anew for each request, a replay included. */
export function headersSince(before: HostHeaders, now: HostHeaders): ResponseHeaders {
  const changed: ResponseHeaders = {};
  for (const [name, value] of Object.entries(now)) {
    if (value !== undefined && String(value) !== String(before[name])) changed[name] = typeof value === "number" ? String(value) : value;
  }
  return changed;
}
