import { CommandError } from "./commandError.js";
import { printable } from "./printable.js";
import { TransientError } from "./transientError.js";

/** Codes of Node and of its `fetch` for connections that were refused, lost, or came to nothing in time. */
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

/** The error that a request without an answer is. Those of the command itself stay what they are. */
export function connectionFault(error: unknown, url: URL): CommandError {
  if (error instanceof CommandError) return error;
  const code = codeOf(error);
  const detail = `No answer from ${url.origin}: ${printable(code ?? (error instanceof Error ? error.message : String(error)))}.`;
  return code !== undefined && transientCodes.has(code) ? new TransientError(detail, { cause: error }) : new CommandError(detail, { cause: error });
}

/** `fetch` says what was wrong in the cause of its error. */
function codeOf(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return undefined;
}
