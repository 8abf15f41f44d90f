import type { JobEntry } from "../../../../ground/storage/queue/jobs.js";
import type { IndexedResult, ItemResult } from "./result.js";
import type { ResultRights } from "./resultRights.js";

/** A result with what it shows, which no client sees. */
export interface RatedResult extends ItemResult {
  readonly rights?: ResultRights | undefined;
}

/** A result as a job stores it. */
export interface StoredResult extends RatedResult, IndexedResult {
  /** Not shown to the client, but available to operations that refer to the result. */
  readonly hiddenData?: unknown;
}

/** The result that references of later operations resolve to. */
export function wholeResult({ hiddenData, rights: _, ...result }: StoredResult): IndexedResult {
  return hiddenData === undefined ? result : { ...result, data: hiddenData };
}

/** The entry of a job as clients see it, if they may read what it shows. */
export function publicEntry({ position, value }: JobEntry): JobEntry {
  const { hiddenData: _, rights: __, ...shown } = value as StoredResult;
  return { position, value: shown };
}
