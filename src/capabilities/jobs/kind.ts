import type { Context } from "../../engine/operation/context.js";
import type { JobEntry, JobState } from "../../ground/storage/queue/jobs.js";
import type { JobSettings } from "./settings.js";

/** The parts of a job's document that its kind adds. */
export interface JobDescription {
  readonly result?: unknown;
  /** Further members of the body. */
  readonly members?: Readonly<Record<string, unknown>> | undefined;
  /** Further targets, relative to the origin. */
  readonly links?: Readonly<Record<string, string>> | undefined;
}

/** Entries as a principal may see them. */
export interface ShownEntries {
  readonly entries: readonly JobEntry[];
  /** Identifies what is left out of them; `undefined` if nothing is. */
  readonly mark: string | undefined;
}

/** How jobs of a type are shown to clients. */
export type ShownJobs = Pick<JobKind, "describe" | "discard">;

/** Jobs at one path, and how they are shown to clients. */
export interface JobKind {
  /** Segment of their paths: `batches`. */
  readonly path: string;
  /** Of the jobs at that path. */
  readonly type: string | readonly string[];
  readonly settings: JobSettings;
  /** Entries per page; `undefined` if the body shows no entries. */
  readonly entriesPerPage?: number | undefined;
  /** What the principal may see now of a page of entries; absent if that is the same for all. */
  shown?(entries: readonly JobEntry[], context: Context): Promise<ShownEntries>;
  /**
   * @param entries one page of entries; empty if the kind shows none
   * @param self path of the job, relative to the origin
   */
  describe(state: JobState, entries: readonly JobEntry[], self: string, context: Context): JobDescription | Promise<JobDescription>;
  /** Identifies what the body depends on in addition to the state, for its ETag; absent or `undefined` if it depends on nothing else. */
  view?(state: JobState, context: Context): Promise<string | undefined>;
  /** Removes the data of a job that was just removed, or canceled before it began. Must not reject. */
  discard?(state: JobState): Promise<void>;
}
