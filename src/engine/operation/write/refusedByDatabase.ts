import { pointer } from "../../../ground/http/pointer.js";
import { type ProblemCode, ProblemError } from "../../../ground/problem/index.js";
import type { Refusal } from "../../../ground/storage/outcome.js";

const codes: Readonly<Record<Refusal["rule"], ProblemCode>> = {
  "too-long": "INVALID_VALUE",
  range: "INVALID_VALUE",
  "not-null": "INVALID_VALUE",
  unique: "DUPLICATE",
  reference: "UNKNOWN_REFERENCE",
  "in-use": "ROW_IN_USE",
  check: "REFUSED_BY_DATABASE",
  raised: "REFUSED_BY_DATABASE",
  other: "REFUSED_BY_DATABASE",
};

/** The problem for a write that the database refused by a rule of its own. The name of the rule is not shown: it is no concern of clients. */
export function refusedByDatabase({ rule, fields, problem = {}, allowed }: Refusal): ProblemError {
  // A code outside of the registry has its status with it.
  const code = (problem.code as ProblemCode | undefined) ?? codes[rule];
  const detail = problem.detail ?? detailOf(rule, fields, allowed);
  return new ProblemError(code, detail, {
    status: problem.status ?? (rule === "in-use" ? 409 : 422),
    errors: fields.map((field) => ({ code, detail, pointer: pointer([field]) })),
  });
}

function detailOf(rule: Refusal["rule"], fields: readonly string[], allowed: string | undefined): string {
  const named = fields.length === 0 ? "A value" : `The value of ${fields.map((field) => `"${field}"`).join(" and ")}`;
  switch (rule) {
    case "too-long":
      return `${named} is too long${allowed === undefined ? "" : `; at most ${allowed} characters are allowed`}.`;
    case "range":
      return `${named} is out of range${allowed === undefined ? "" : `; allowed is ${allowed}`}.`;
    case "not-null":
      return `${named} is required.`;
    case "unique":
      return `${named} is taken.`;
    case "in-use":
      return "Other rows refer to these; delete or change them first.";
    case "reference":
      return `${named} refers to a row that does not exist.`;
    default:
      return "The database refuses this write.";
  }
}
