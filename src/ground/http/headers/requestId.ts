import type { RawHeaders } from "../message.js";

const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

/** The client's `X-Request-ID` if it is safe to echo and log, else a new one. */
export function readRequestId(headers: RawHeaders, generate: () => string): string {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? "";
    if (name.length === 12 && name.toLowerCase() === "x-request-id") {
      const value = headers[index + 1] ?? "";
      return acceptable.test(value) ? value : generate();
    }
  }
  return generate();
}
