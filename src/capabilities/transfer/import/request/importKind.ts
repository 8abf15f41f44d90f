import type { BlobStore } from "../../../../ground/storage/files/blobs.js";
import type { JobState } from "../../../../ground/storage/queue/jobs.js";
import type { JobDescription, JobKind } from "../../../jobs/kind.js";
import type { JobSettings } from "../../../jobs/settings.js";
import { removeFiles } from "../../jobFiles.js";
import { noCounts } from "../write/rowResult.js";

/** The type of the jobs of imports, and the segment of their paths. */
export const importJobs = { type: "import", path: "imports" } as const;

/** The kind of job that imports are. */
export function importKind(settings: JobSettings, blobs: BlobStore | undefined): JobKind {
  return {
    ...importJobs,
    settings,
    describe,
    // The sweep removes files that could not be removed here.
    discard: async ({ id }) => blobs && removeFiles(blobs, "import", id).catch(() => undefined),
  };
}

/** In ten-thousandths. A job that has not ended is never complete. */
const maxProgress = 9_999;

function describe(state: JobState, _entries: unknown, self: string): JobDescription {
  const { created, updated, skipped, failed } = { ...noCounts, ...state.counts };
  const { row, byte, checked, dryRun } = state.counts;
  const isResumable = state.status === "failed" && state.resumable;
  return {
    result: { created, updated, skipped, failed },
    members: {
      ...(dryRun === undefined ? {} : { dryRun: true }),
      // With `onError=stop` the file is read twice: for validation, then for the import.
      ...(checked !== undefined && state.status !== "completed" ? { progress: progressOf(state, checked) } : {}),
      ...(isResumable ? { resume: { row: row ?? 0, byte: byte ?? 0 } } : {}),
    },
    links: {
      ...(failed > 0 ? { errors: `${self}/errors` } : {}),
      ...(isResumable ? { resume: `${self}/resume` } : {}),
    },
  };
}

function progressOf({ processed, total }: JobState, checked: number): number {
  if (total === null || total <= 0) return 0;
  return Math.max(0, Math.min(maxProgress, Math.floor(((checked + processed) * 5_000) / total))) / 10_000;
}
