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
 * @returns `undefined` where the answer is to hide: whoever asked says what a missing row would be answered
 * @throws {ProblemError} FORBIDDEN, UNAUTHENTICATED for a caller without credentials
 */
export async function askPermit(environment: Environment, request: PermitRequest): Promise<Permit | undefined> {
  const { authorize } = environment;
  if (authorize === undefined) return everything;
  const { principal, action, collection, resource, fields } = request;
  const answer = await authorize({ principal, action, collection, resource, fields });
  if (answer === true) return everything;
  if (answer === false) throw refusal(environment, request);
  return "hide" in answer ? undefined : { fields: answer.fields };
}

/**
 * The same for what an answer can do without, such as a related row.
 *
 * @returns `undefined` where the answer is no, too: what was refused is left out, and the rest is answered
 */
export async function tryPermit(environment: Environment, request: Omit<PermitRequest, "authRequest">): Promise<Permit | undefined> {
  const { authorize } = environment;
  if (authorize === undefined) return everything;
  const { principal, action, collection, resource, fields } = request;
  const answer = await authorize({ principal, action, collection, resource, fields });
  if (answer === true) return everything;
  return answer === false || "hide" in answer ? undefined : { fields: answer.fields };
}

/**
 * The same where there is no row to hide.
 *
 * @throws {ProblemError} FORBIDDEN, UNAUTHENTICATED, NOT_FOUND
 */
export async function permit(environment: Environment, request: PermitRequest): Promise<Permit> {
  const allowed = await askPermit(environment, request);
  if (allowed !== undefined) return allowed;
  throw new ProblemError("NOT_FOUND", "There is nothing at this path.");
}

function refusal(environment: Environment, { principal, authRequest, action, collection }: PermitRequest): ProblemError {
  if (principal === anonymous && environment.verifiers.length > 0) return unauthenticated(environment.verifiers, authRequest);
  return new ProblemError("FORBIDDEN", `You may not ${action} in "${collection}".`);
}
