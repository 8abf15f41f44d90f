import type { ProblemCode, ProblemError } from "../../../../ground/problem/index.js";
import type { RowFault, SourceRow } from "../../rows.js";

/** The result of a row. */
export type RowResult =
  | { readonly row: SourceRow; readonly outcome: "created" | "updated" | "skipped" }
  | { readonly row: SourceRow; readonly outcome: "failed"; readonly faults: readonly RowFault[] };

export type FailedRow = Extract<RowResult, { readonly outcome: "failed" }>;

/** The number of rows by result. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
}

export const noCounts: ImportCounts = { created: 0, updated: 0, skipped: 0, failed: 0 };

export function failedRow(row: SourceRow, ...faults: readonly RowFault[]): FailedRow {
  return { row, outcome: "failed", faults };
}

/** The faults of a row from a problem, with field names instead of JSON pointers. */
export function faultsOf(problem: ProblemError): readonly RowFault[] {
  const { errors, code, message } = problem;
  if (errors.length === 0) return [{ code, detail: message }];
  return errors.map(({ code: own, detail, pointer }) => ({ code: rowCode(own), detail, field: fieldOf(pointer) }));
}

/** In error reports, all faults by the schema have the code VALIDATION_FAILED. */
function rowCode(code: ProblemCode): ProblemCode {
  return code === "INVALID_VALUE" || code === "UNKNOWN_FIELD" || code === "READ_ONLY_FIELD" ? "VALIDATION_FAILED" : code;
}

function fieldOf(pointer: string | undefined): string | undefined {
  if (pointer === undefined || pointer === "") return undefined;
  return pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");
}

/** Adds results to counts. */
export function countResults(counts: ImportCounts, results: readonly RowResult[]): ImportCounts {
  const sums = { ...counts };
  for (const { outcome } of results) sums[outcome] += 1;
  return sums;
}
