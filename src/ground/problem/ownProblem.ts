import type { ProblemCode } from "./codes.js";
import { ConfigurationError } from "./configuration.js";
import { ProblemError, type ProblemItem, type ProblemOptions } from "./problem.js";

/** A fault of a problem of your own. Code and detail are those of the problem if they are absent. */
export type OwnProblemItem = Partial<Omit<ProblemItem, "code">> & { readonly code?: string | undefined };

/** Options of {@link problem}. */
export interface OwnProblemOptions extends Omit<ProblemOptions, "status" | "errors"> {
  readonly errors?: readonly OwnProblemItem[] | undefined;
}

/** How codes of the developer's own are written: in upper case, with underscores. */
export const ownCode = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;

/**
 * A problem with a code of your own, to throw from hooks, actions and `create`.
 *
 * @param code in upper case, with underscores: `ORDER_SHIPPED`
 * @param status 400 to 599
 * @throws {ConfigurationError} for another code or status
 * @example
 * throw problem("TOTAL_MISMATCH", 422, "The total is not the sum of the lines.", { errors: [{ pointer: "/total" }] });
 */
export function problem(code: string, status: number, detail: string, { errors = [], ...options }: OwnProblemOptions = {}): ProblemError {
  if (!ownCode.test(code)) {
    throw new ConfigurationError(`problem: "${code}" is not a code in upper case, such as "ORDER_SHIPPED".`);
  }
  if (!Number.isInteger(status) || status < 400 || status > 599) throw new ConfigurationError(`problem: ${status} is not a status from 400 to 599.`);
  // A code outside of the registry has its status with it, and the words of the code as its title.
  const own = code as ProblemCode;
  const items = errors.map((item): ProblemItem => ({ ...item, code: (item.code as ProblemCode | undefined) ?? own, detail: item.detail ?? detail }));
  return new ProblemError(own, detail, { ...options, status, errors: items });
}
