import type { BlobListing, BlobStore } from "../../ground/storage/files/blobs.js";
import type { JobState, JobStore } from "../../ground/storage/queue/jobs.js";
import { fileKeepMs, fileOf } from "./export/exportFile.js";
import { type FileKind, jobIdOf } from "./jobFiles.js";

/** The stores of the files and of their jobs. */
export interface SweepFilesOptions {
  readonly blobs: BlobStore;
  readonly jobs: JobStore;
  readonly nowMs: number;
  /** Ends the sweep early; the next one continues. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Removes files that are no longer needed: of exports 24 hours after the job ended, of imports when the job ended or, if it can be resumed, 24 hours later, and of no
 * job after 24 hours. If a file cannot be removed, the sweep continues with the others.
 *
 * @returns the number of removed files
 * @throws the first error, after all files were checked
 */
export async function sweepFiles(options: SweepFilesOptions): Promise<number> {
  const { nowMs } = options;
  const old = new Date(nowMs - fileKeepMs);
  const exports = await sweepKind(options, "export", old, (file, job) => job === undefined || isOver(job, old) || isLeftOver(file, job));
  const imports = await sweepKind(options, "import", new Date(nowMs), (file, job) => {
    if (job === undefined) return file.lastModified < old;
    return job.status === "completed" || (job.status === "failed" && !job.resumable) || isOver(job, old);
  });
  const faults = [...exports.faults, ...imports.faults];
  if (faults.length > 0) throw faults[0];
  return exports.removed + imports.removed;
}

interface SweepResult {
  readonly removed: number;
  readonly faults: readonly unknown[];
}

async function sweepKind(
  { blobs, jobs, signal }: SweepFilesOptions,
  kind: FileKind,
  before: Date,
  isDue: (file: BlobListing, job: JobState | undefined) => boolean,
): Promise<SweepResult> {
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

/** An interrupted attempt of the job wrote the file; it is not the result. */
function isLeftOver({ key }: BlobListing, job: JobState): boolean {
  return job.finishedAt !== undefined && fileOf(job)?.key !== key;
}
