import type { BlobListing, BlobStore } from "../storage/blobs.js";
import type { JobState, JobStore } from "../storage/jobs.js";
import { fileKeepMs, fileOf } from "./exportFile.js";
import { type FileKind, jobIdOf } from "./fileKey.js";

/** Where files and the jobs that they belong to are kept. */
export interface SweepFilesOptions {
  readonly blobs: BlobStore;
  readonly jobs: JobStore;
  readonly nowMs: number;
  /** Ends the sweep early; the next one goes on. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Removes the files that nobody may ask for any more: those of exports 24 hours after their end, those of imports once these are completed or 24 hours after
 * they failed, and after 24 hours whatever belongs to no job. One that cannot be removed does not keep the others.
 *
 * @returns how many were removed
 * @throws the first fault, after all others were looked at
 */
export async function sweepFiles(options: SweepFilesOptions): Promise<number> {
  const { nowMs } = options;
  const old = new Date(nowMs - fileKeepMs);
  const exports = await sweepKind(options, "export", old, (file, job) => job === undefined || isOver(job, old) || isLeftOver(file, job));
  const imports = await sweepKind(options, "import", new Date(nowMs), (file, job) => {
    if (job === undefined) return file.lastModified < old;
    return job.status === "completed" || isOver(job, old);
  });
  const faults = [...exports.faults, ...imports.faults];
  if (faults.length > 0) throw faults[0];
  return exports.removed + imports.removed;
}

interface Swept {
  readonly removed: number;
  readonly faults: readonly unknown[];
}

async function sweepKind(
  { blobs, jobs, signal }: SweepFilesOptions,
  kind: FileKind,
  before: Date,
  isDue: (file: BlobListing, job: JobState | undefined) => boolean,
): Promise<Swept> {
  const faults: unknown[] = [];
  let removed = 0;
  for await (const file of blobs.list(`${kind}_`, { before })) {
    if (signal?.aborted) break;
    try {
      if (isDue(file, await jobs.get(jobIdOf(kind, file.key))) && (await blobs.delete(file.key))) removed += 1;
    } catch (error) {
      faults.push(error);
    }
  }
  return { removed, faults };
}

function isOver({ finishedAt }: JobState, old: Date): boolean {
  return finishedAt !== undefined && finishedAt <= old;
}

/** A try that was interrupted left it behind. */
function isLeftOver({ key }: BlobListing, job: JobState): boolean {
  return job.finishedAt !== undefined && fileOf(job)?.key !== key;
}
