import { problemAt } from "../../problem/index.js";
import type { HttpRequest } from "../message.js";
import { withChanges } from "../withChanges.js";
import type { RequestHeaders } from "./headers.js";

/** Headers with which clients and frameworks replace the method POST. */
const names = ["x-http-method-override", "x-http-method", "x-method-override"] as const;
const parameter = "_method";
const targets = ["GET", "PUT", "PATCH", "DELETE"] as const;

/** The method that replaces POST. */
export interface MethodOverride {
  readonly method: (typeof targets)[number];
  /** From `X-HTTP-Method-Override`, not from the query or another header. */
  readonly isStandardHeader: boolean;
}

/** The request as if the client had sent the other method: without `_method` in its query. */
export function withMethod(request: HttpRequest, method: string): HttpRequest {
  const pairs = request.query.split("&").filter((pair) => !new URLSearchParams(pair).has(parameter));
  return withChanges(request, { method, query: pairs.join("&") });
}

/**
 * The method that replaces POST, from a header or from `_method` in the query; `undefined` if there is none. Other methods are never replaced.
 *
 * @param query raw, without `?`
 * @throws {ProblemError} MALFORMED_HEADER, INVALID_VALUE, REPEATED_PARAMETER, CONFLICTING_PARAMETERS
 */
export function parseMethodOverride(method: string, query: string, headers: RequestHeaders): MethodOverride | undefined {
  if (method !== "POST") return undefined;
  const asked = new Set<MethodOverride["method"]>();
  let isStandardHeader = false;
  for (const header of names) {
    const value = headers.get(header);
    if (value === undefined) continue;
    asked.add(targetOf(value, "MALFORMED_HEADER", `The header "${header}"`, { header }));
    isStandardHeader = header === names[0];
  }
  const values = query === "" ? [] : new URLSearchParams(query).getAll(parameter);
  if (values.length > 1) refuse("REPEATED_PARAMETER", `"${parameter}" may be given once.`, { parameter });
  for (const value of values) asked.add(targetOf(value, "INVALID_VALUE", `"${parameter}"`, { parameter }));
  const [target] = asked;
  if (asked.size > 1) refuse("CONFLICTING_PARAMETERS", `The request asks for two methods: ${[...asked].join(" and ")}.`, {});
  return target && { method: target, isStandardHeader: isStandardHeader && values.length === 0 };
}

function targetOf(text: string, code: Code, subject: string, source: OverrideSource): MethodOverride["method"] {
  const name = text.trim().toUpperCase();
  return targets.find((target) => target === name) ?? refuse(code, `${subject} must name one method of ${targets.join(", ")}.`, source);
}

type Code = "MALFORMED_HEADER" | "INVALID_VALUE" | "REPEATED_PARAMETER" | "CONFLICTING_PARAMETERS";

interface OverrideSource {
  readonly header?: string;
  readonly parameter?: string;
}

function refuse(code: Code, detail: string, source: OverrideSource): never {
  throw problemAt(code, detail, source);
}
