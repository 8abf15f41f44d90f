import { unauthenticated } from "../auth/authenticate.js";
import type { Action } from "../auth/authorize.js";
import { type AuthRequest, anonymous, type Principal } from "../auth/verifier.js";
import { ProblemError } from "../problem/index.js";
import type { Environment } from "./environment.js";

/** What a principal was allowed. */
export interface Permit {
  /** Only these fields; `undefined` means all that the field policy allows. */
  readonly fields: readonly string[] | undefined;
}

const everything: Permit = { fields: undefined };

/** What is to be done, and by whom. */
export interface PermitRequest {
  readonly principal: Principal;
  readonly authRequest: AuthRequest;
  readonly action: Action;
  readonly collection: string;
  readonly resource?: Readonly<Record<string, unknown>> | undefined;
  readonly fields?: readonly string[] | undefined;
}

/**
 * Asks the developer's `authorize`; without one every principal may do everything.
 *
 * @throws {ProblemError} FORBIDDEN, UNAUTHENTICATED for a caller without credentials, NOT_FOUND where the answer is to hide the row
 */
export async function permit(environment: Environment, request: PermitRequest): Promise<Permit> {
  const { authorize } = environment;
  if (authorize === undefined) return everything;
  const { principal, action, collection, resource, fields } = request;
  const answer = await authorize({ principal, action, collection, resource, fields });
  if (answer === true) return everything;
  if (answer === false) throw refusal(environment, request);
  if ("hide" in answer) throw new ProblemError("NOT_FOUND", `There is no such resource in "${collection}".`);
  return { fields: answer.fields };
}

function refusal(environment: Environment, { principal, authRequest, action, collection }: PermitRequest): ProblemError {
  if (principal === anonymous && environment.verifiers.length > 0) return unauthenticated(environment.verifiers, authRequest);
  return new ProblemError("FORBIDDEN", `You may not ${action} in "${collection}".`);
}
