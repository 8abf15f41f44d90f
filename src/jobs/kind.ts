import type { Context } from "../operation/context.js";
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
  describe(state: JobState, entries: readonly JobEntry[], self: string, context: Context): JobDescription | Promise<JobDescription>;
  /** Names what the body depends on besides the state, for its tag; absent or `undefined` where that is nothing. */
  view?(state: JobState, context: Context): Promise<string | undefined>;
  /** Clears away what belonged to a job that was just removed. Must not reject. */
  discard?(state: JobState): Promise<void>;
}
