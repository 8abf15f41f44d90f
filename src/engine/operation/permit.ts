import { ProblemError } from "../../ground/problem/index.js";
import { quote } from "../../ground/problem/quote.js";
import { unauthenticated } from "../../parts/auth/authenticate.js";
import { type Action, type Asked, AuthorizationQuestion } from "../../parts/auth/authorize.js";
import { type AuthRequest, anonymous } from "../../parts/auth/verifier.js";
import type { Environment } from "./environment.js";

/** What a principal is allowed to do. */
export interface Permit {
  /** The allowed fields; `undefined` means all fields that the field policy allows. */
  readonly fields: readonly string[] | undefined;
}

const everything: Permit = { fields: undefined };

/** The action to authorize, and its principal. */
export interface PermitRequest extends Asked {
  readonly authRequest: AuthRequest;
}

/**
 * Calls the developer's `authorize`. Without it every principal may do everything.
 *
 * @returns `undefined` if `authorize` hides the collection: the caller then answers as if there were no rows
 * @throws {ProblemError} FORBIDDEN, UNAUTHENTICATED for a caller without credentials
 */
export async function askPermit(environment: Environment, request: PermitRequest): Promise<Permit | undefined> {
  const { authorize } = environment;
  if (authorize === undefined) return everything;
  const answer = await authorize(new AuthorizationQuestion(request));
  if (answer === true) return everything;
  if (answer === false) throw refusal(environment, request);
  return "hide" in answer ? undefined : { fields: answer.fields };
}

/**
 * The same for optional parts of an answer, such as a related row.
 *
 * @returns `undefined` also if the action is refused: the refused part is left out of the answer
 */
export async function tryPermit(environment: Environment, request: Asked): Promise<Permit | undefined> {
  const { authorize } = environment;
  if (authorize === undefined) return everything;
  const answer = await authorize(new AuthorizationQuestion(request));
  if (answer === true) return everything;
  return answer === false || "hide" in answer ? undefined : { fields: answer.fields };
}

/**
 * The same, if a hidden collection is an unknown path.
 *
 * @throws {ProblemError} FORBIDDEN, UNAUTHENTICATED, NOT_FOUND
 */
export async function permit(environment: Environment, request: PermitRequest): Promise<Permit> {
  const allowed = await askPermit(environment, request);
  if (allowed !== undefined) return allowed;
  throw nothingHere();
}

/**
 * The problem of a path that this service does not serve, or not to this caller.
 *
 * @param near a path that it serves, and that was probably meant
 */
export function nothingHere(near?: string): ProblemError {
  return new ProblemError(
    "NOT_FOUND",
    near === undefined ? "There is nothing at this path." : `There is nothing at this path. Did you mean ${quote(near)}?`,
  );
}

function refusal(environment: Environment, { principal, authRequest, action, collection }: PermitRequest): ProblemError {
  if (principal === anonymous && environment.verifiers.length > 0) return unauthenticated(environment.verifiers, authRequest);
  return new ProblemError("FORBIDDEN", `Not allowed to ${verbs[action] ?? `run "${action}" in`} "${collection}".`);
}

const verbs: Readonly<Record<Action, string | undefined>> = {
  list: "list",
  read: "read from",
  create: "create in",
  replace: "replace in",
  update: "update in",
  remove: "delete from",
};
