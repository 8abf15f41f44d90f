import type { RequestHeaders } from "../../../ground/http/headers/headers.js";
import type { MethodOverride } from "../../../ground/http/headers/methodOverride.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { AuthRequest, Principal } from "../../../parts/auth/verifier.js";
import type { Method, Operation } from "../../operation/operation.js";
import type { ServiceOptions } from "../options.js";
import type { Endpoint } from "../router.js";

/**
 * Finds the operation. A method override selects it; such a request never runs as the POST that was sent.
 *
 * @throws {ProblemError} METHOD_NOT_ALLOWED
 */
export function findOperation(endpoint: Endpoint, method: string, headers: RequestHeaders, override: MethodOverride | undefined): Operation {
  const post = override?.isStandardHeader === true ? endpoint.operations.get("POST") : undefined;
  if (post?.takesOverride === true && override?.method === "PATCH") return post;
  // Without searches, a GET that ignores its body would answer another question.
  const asked = override?.method === "GET" && hasBody(headers) ? "QUERY" : (override?.method ?? method);
  const operation = endpoint.operations.get((asked === "HEAD" ? "GET" : asked) as Method);
  if (operation !== undefined) return operation;
  throw new ProblemError("METHOD_NOT_ALLOWED", `${asked.slice(0, 32)} is not allowed here; allowed: ${endpoint.allow}.`, {
    headers: { allow: endpoint.allow },
    extensions: { allowed: endpoint.allow.split(", ") },
  });
}

function hasBody(headers: RequestHeaders): boolean {
  return (headers.get("content-length") ?? "0") !== "0" || headers.get("transfer-encoding") !== undefined;
}

/** @throws {ProblemError} METHOD_OVERRIDE_FORBIDDEN unless the developer trusts the caller */
export async function requireTrust(
  trust: ServiceOptions["trustMethodOverride"],
  request: AuthRequest,
  principal: Principal,
  method: string,
): Promise<void> {
  if ((await trust?.(request, principal)) === true) return;
  throw new ProblemError("METHOD_OVERRIDE_FORBIDDEN", `A POST cannot be run as ${method} here; send ${method} itself.`);
}
