import * as zod from "zod";
import { pointer } from "../http/pointer.js";
import { maximumItems, type ProblemItem } from "../problem/problem.js";
import type { Validate, Validation } from "./resource.js";

/** `z.compile` came with zod 4.4; an older zod validates the same, slower. */
const compile = (zod as { compile?: <T extends zod.core.$ZodType>(schema: T) => T }).compile ?? (<T>(schema: T) => schema);

/**
 * A validation function of a zod type, compiled on first use.
 *
 * A schema with asynchronous refinements is found out by its first call and validated asynchronously from then on.
 */
export function compileValidate(schema: zod.core.$ZodType): Validate {
  let compiled: zod.core.$ZodType | undefined;
  let isAsync = false;
  return (value, path = []) => {
    compiled ??= compile(schema);
    if (!isAsync) {
      try {
        return toValidation(zod.safeParse(compiled, value), path);
      } catch (error) {
        if (!(error instanceof zod.core.$ZodAsyncError)) throw error;
        isAsync = true;
      }
    }
    return zod.safeParseAsync(schema, value).then((result) => toValidation(result, path));
  };
}

type Result = { success: true; data: unknown } | { success: false; error: zod.core.$ZodError };

function toValidation(result: Result, path: readonly (string | number)[]): Validation {
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, items: result.error.issues.slice(0, maximumItems).map((issue) => toItem(issue, path)) };
}

function toItem(issue: zod.core.$ZodIssue, path: readonly (string | number)[]): ProblemItem {
  const where = pointer([...path, ...issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))]);
  const allowed = issue.code === "invalid_value" ? { allowed: issue.values.map(String) } : {};
  return { code: "INVALID_VALUE", detail: describe(issue), pointer: where, ...allowed };
}

/** zod's own words, but for two: a missing member is called that, and a regular expression is not shown to strangers. */
function describe(issue: zod.core.$ZodIssue): string {
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined")) return `Required; expected ${issue.expected}.`;
  if (issue.code === "invalid_type" && issue.expected === "date") return "Must be a date-time with Z or an offset.";
  if (issue.code === "invalid_format" && issue.message.includes("must match pattern")) return "Does not have the required format.";
  return issue.message;
}
