import type { ProblemError } from "../problem/index.js";
import type { JobError } from "../storage/jobs.js";
import { maximumAttempts } from "./attempts.js";

/** Why a job failed that was canceled while it was under way. */
export const canceledError: JobError = { code: "CANCELLED", detail: "The job was canceled." };

/** Why a job failed that got no further. */
export const exhaustedError: JobError = {
  code: "ATTEMPTS_EXHAUSTED",
  detail: `The job was tried ${maximumAttempts} times in a row without getting any further.`,
};

/** Why a job failed whose handler threw a problem; the extension `row` of it is the row that it failed at, the first being 1. */
export function jobErrorOf({ code, message, extensions }: ProblemError): JobError {
  const { row } = extensions;
  return { code, detail: message, ...(isRow(row) && { row }) };
}

function isRow(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}
