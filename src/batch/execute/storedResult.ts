import type { JobEntry } from "../../storage/jobs.js";
import type { IndexedResult } from "./result.js";

/** A result as a job stores it. */
export type StoredResult = IndexedResult & {
  /** Not shown to the client, but available to operations that refer to the result. */
  readonly hiddenData?: unknown;
};

/** The result that references of later operations resolve to. */
export function wholeResult({ hiddenData, ...result }: StoredResult): IndexedResult {
  return hiddenData === undefined ? result : { ...result, data: hiddenData };
}

/** The entry of a job as clients see it. */
export function publicEntry({ position, value }: JobEntry): JobEntry {
  const { hiddenData: _, ...shown } = value as StoredResult;
  return { position, value: shown };
}
