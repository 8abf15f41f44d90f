import type { JobState } from "../storage/jobs.js";

/** How long a file is kept after its job's end. */
export const fileKeepMs = 86_400_000;

/** The file of an export, as its job keeps it for its result. */
export interface ExportFile {
  /** Of the blob. */
  readonly key: string;
  /** For the client: `users.csv`. */
  readonly name: string;
  readonly contentType: string;
  readonly rows: number;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly collection: string;
  /** Top-level fields that it holds, wholly or in part. */
  readonly fields: readonly string[];
}

/** The same with its end. */
export interface FinishedFile extends ExportFile {
  readonly expiresMs: number;
}

/** `undefined` where the export is not completed. */
export function fileOf({ status, result, finishedAt }: JobState): FinishedFile | undefined {
  if (status !== "completed" || finishedAt === undefined) return undefined;
  return { ...(result as ExportFile), expiresMs: finishedAt.getTime() + fileKeepMs };
}
