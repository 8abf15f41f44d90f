import { pointer } from "../http/pointer.js";
import { duplicateCode, ProblemError } from "../problem/index.js";

/** The answer to a violated unique key: one entry a field. */
export function duplicate(fields: readonly string[]): ProblemError {
  const code = duplicateCode(fields);
  const detail = `The value of ${fields.map((field) => `"${field}"`).join(" and ")} is taken.`;
  return new ProblemError(code, detail, { errors: fields.map((field) => ({ code, detail, pointer: pointer([field]) })) });
}

/** The answer when a row changed under every try of a read-modify-write. */
export function writeConflict(attempts: number): ProblemError {
  return new ProblemError("WRITE_CONFLICT", `The resource changed ${attempts} times while the request was carried out; try again.`, {
    headers: { "retry-after": "1" },
  });
}
