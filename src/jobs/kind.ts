import type { JobEntry, JobState } from "../storage/jobs.js";
import type { JobSettings } from "./settings.js";

/** What a kind of job says of itself. */
export interface JobDescription {
  readonly result?: unknown;
  /** Further members of the body. */
  readonly members?: Readonly<Record<string, unknown>> | undefined;
  /** Further targets, relative to the origin. */
  readonly links?: Readonly<Record<string, string>> | undefined;
}

/** Jobs of one type, and how clients see them. */
export interface JobKind {
  /** Segment of their paths: `batches`. */
  readonly path: string;
  readonly type: string;
  readonly settings: JobSettings;
  /** Entries of one page; `undefined` where the body shows none. */
  readonly entriesPerPage?: number | undefined;
  /**
   * @param entries a page of them, none where the kind shows none
   * @param self path of the job, relative to the origin
   */
  describe(state: JobState, entries: readonly JobEntry[], self: string): JobDescription;
}
