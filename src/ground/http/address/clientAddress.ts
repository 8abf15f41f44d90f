import type { RawHeaders } from "../message.js";

/**
 * The address of a client behind trusted proxies. Each proxy appends the address that called it to `X-Forwarded-For`, so only the last entries are trustworthy: one
 * for each proxy.
 *
 * @param peer the address of the socket
 * @param trustedHops how many proxies of the operator each request passes
 */
export function clientAddress(headers: RawHeaders, peer: string | undefined, trustedHops: number): string | undefined {
  if (trustedHops === 0) return peer;
  const entries: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() !== "x-forwarded-for") continue;
    entries.push(...(headers[index + 1] ?? "").split(",").map((entry) => entry.trim()));
  }
  const named = entries.filter((entry) => entry !== "");
  return named[Math.max(0, named.length - trustedHops)] ?? peer;
}
