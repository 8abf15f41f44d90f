import type { JobEntry } from "../storage/jobs.js";
import type { IndexedResult } from "./result.js";

/** A result as a job keeps it. */
export type KeptResult = IndexedResult & {
  /** Left out where the result is shown, but there for operations that refer to it. */
  readonly hiddenData?: unknown;
};

/** What operations may refer to. */
export function wholeResult({ hiddenData, ...result }: KeptResult): IndexedResult {
  return hiddenData === undefined ? result : { ...result, data: hiddenData };
}

/** The entry of a job as clients see it. */
export function shownEntry({ position, value }: JobEntry): JobEntry {
  const { hiddenData: _, ...shown } = value as KeptResult;
  return { position, value: shown };
}
