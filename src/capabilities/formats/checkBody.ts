import { notUtf8 } from "../../ground/http/body/notUtf8.js";
import { checkJson } from "../../ground/http/json/checkJson.js";
import { pointer } from "../../ground/http/pointer.js";
import type { Limits } from "../../ground/limits/limits.js";
import { ProblemError, problemAt } from "../../ground/problem/index.js";

type Code = "MALFORMED_FORM" | "MALFORMED_XML";

/** The problem for a body of a format other than JSON, at a path in its value. */
export function malformedBody(code: Code, detail: string, path: readonly (string | number)[] = [], cause?: unknown): ProblemError {
  return problemAt(code, detail, { pointer: pointer(path) }, { cause });
}

/**
 * Checks the value of a body as that of a JSON body is checked: depth, members, values, names that could change a prototype, text with NUL.
 *
 * @throws {ProblemError} the code, VALIDATION_FAILED
 */
export function checkBody<T>(value: T, code: Code, { jsonDepth, jsonMembers, jsonValues }: Limits): T {
  try {
    checkJson(value, { depth: jsonDepth, members: jsonMembers, values: jsonValues });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== "MALFORMED_JSON") throw error;
    throw new ProblemError(code, error.message, { errors: error.errors.map((item) => ({ ...item, code })) });
  }
  return value;
}

/**
 * Decodes a body that must be UTF-8. A byte-order mark is left out.
 *
 * @throws {ProblemError} the code
 */
export function decodeUtf8(bytes: Uint8Array, code: Code): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw malformedBody(code, notUtf8(bytes), [], error);
  }
}
