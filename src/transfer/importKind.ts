import type { JobDescription, JobKind } from "../jobs/kind.js";
import type { JobSettings } from "../jobs/settings.js";
import type { BlobStore } from "../storage/blobs.js";
import type { JobState } from "../storage/jobs.js";
import { importJobs } from "./importJobs.js";
import { removeFiles } from "./removeFiles.js";
import { noCounts } from "./rowResult.js";

/** Imports as clients see them. */
export function importKind(settings: JobSettings, blobs: BlobStore | undefined): JobKind {
  return {
    ...importJobs,
    settings,
    describe,
    // What is left of its file is found by the sweep.
    discard: async ({ id }) => blobs && removeFiles(blobs, "import", id).catch(() => undefined),
  };
}

const mostOfIt = 9_999;

function describe(state: JobState, _entries: unknown, self: string): JobDescription {
  const { created, updated, skipped, failed } = { ...noCounts, ...state.counts };
  const { row, byte, checked, dryRun } = state.counts;
  const isResumable = state.status === "failed" && state.resumable;
  return {
    result: { created, updated, skipped, failed },
    members: {
      ...(dryRun === undefined ? {} : { dryRun: true }),
      // What is all or none is read twice.
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
  return Math.max(0, Math.min(mostOfIt, Math.floor(((checked + processed) * 5_000) / total))) / 10_000;
}
