import { pointer } from "../../../ground/http/pointer.js";
import { duplicateCode, ProblemError } from "../../../ground/problem/index.js";
import type { Row } from "../../../ground/storage/collection.js";
import type { MissingReference, Outcome } from "../../../ground/storage/outcome.js";
import { outOfScope } from "../../operation/rules/outOfScope.js";
import { refusedByDatabase } from "../../operation/write/refusedByDatabase.js";

/** The problem for a violated unique key, with one entry per field. */
export function duplicate(fields: readonly string[]): ProblemError {
  const code = duplicateCode(fields);
  const detail = `The value of ${fields.map((field) => `"${field}"`).join(" and ")} is taken.`;
  return new ProblemError(code, detail, { errors: fields.map((field) => ({ code, detail, pointer: pointer([field]) })) });
}

/** The problem for foreign keys that name no row, with one entry per field. */
export function unknownReference(missing: readonly MissingReference[]): ProblemError {
  const errors = missing.map(({ field, collection, id }) => {
    const detail = `There is no "${String(id).slice(0, 64)}" in "${collection}".`;
    return { code: "UNKNOWN_REFERENCE" as const, detail, pointer: pointer([field]) };
  });
  return new ProblemError("UNKNOWN_REFERENCE", errors.map(({ detail }) => detail).join(" "), { errors });
}

/** The problem for a write that other rows prevent; `undefined` if none do. */
export function refusal(outcome: Outcome<Row>): ProblemError | undefined {
  if (outcome.ok) return undefined;
  if (outcome.why === "conflict") return duplicate(outcome.fields);
  if (outcome.why === "inUse") return new ProblemError("ROW_IN_USE", "Other rows refer to this one; delete or change them first.");
  if (outcome.why === "problem") return outcome.problem;
  if (outcome.why === "refused") return refusedByDatabase(outcome);
  if (outcome.why === "scope") return outcome.when === "before" ? notChangeable() : outOfScope();
  return outcome.why === "reference" ? unknownReference(outcome.missing) : undefined;
}

/** The problem for a row that the principal may read, but not change in this way. */
export function notChangeable(): ProblemError {
  return new ProblemError("FORBIDDEN", "Not allowed to change this row.");
}

/** The problem if a row changed during every attempt of a read-modify-write. */
export function writeConflict(attempts: number): ProblemError {
  return new ProblemError("WRITE_CONFLICT", `The resource changed ${attempts} times while the request was processed; try again.`, {
    headers: { "retry-after": "1" },
  });
}
