import type { ProblemCode } from "./codes.js";
import { ConfigurationError } from "./configuration.js";
import { ProblemError, type ProblemOptions } from "./problem.js";

/**
 * A problem with a code of your own, to throw from hooks, actions and `create`.
 *
 * @param code in upper case, with underscores: `ORDER_SHIPPED`
 * @param status 400 to 599
 * @throws {ConfigurationError} for another code or status
 * @example
 * throw problem("ORDER_SHIPPED", 409, "A shipped order cannot be canceled.");
 */
export function problem(code: string, status: number, detail: string, options: Omit<ProblemOptions, "status"> = {}): ProblemError {
  if (!/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/.test(code))
    throw new ConfigurationError(`problem: "${code}" is not a code in upper case, such as "ORDER_SHIPPED".`);
  if (!Number.isInteger(status) || status < 400 || status > 599) throw new ConfigurationError(`problem: ${status} is not a status from 400 to 599.`);
  return new ProblemError(code as ProblemCode, detail, { ...options, status });
}
