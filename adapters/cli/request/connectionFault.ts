import { CommandError, TransientError } from "../commandError.js";
import { printable } from "../terminal/printable.js";

/** Codes of Node and of its `fetch` for connections that were refused or lost, or that timed out. */
const transientCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EAI_AGAIN",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

/** Codes for connections that could not be made. */
const unreachedCodes: ReadonlySet<string> = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/** The error for a request without a response. Errors of the command itself are returned unchanged. */
export function connectionFault(error: unknown, url: URL): CommandError {
  if (error instanceof CommandError) return error;
  const code = codeOf(error);
  const detail = `No response from ${url.origin}: ${printable(code ?? (error instanceof Error ? error.message : String(error)))}.`;
  if (code === undefined || !transientCodes.has(code)) return new CommandError(detail, { cause: error });
  return new TransientError(detail, { isUnreached: unreachedCodes.has(code), cause: error });
}

/** `fetch` has the code in the cause of its error. */
function codeOf(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return undefined;
}
