import type { JobState } from "../../../ground/storage/queue/jobs.js";

/** How long a file is kept after its job has ended. */
export const fileKeepMs = 86_400_000;

/** The file of an export, as the job stores it in its result. */
export interface ExportFile {
  /** Key of the blob. */
  readonly key: string;
  /** File name for the client: `users.csv`. */
  readonly name: string;
  readonly contentType: string;
  readonly rows: number;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly collection: string;
  /** Top-level fields that the file contains, wholly or in part. */
  readonly fields: readonly string[];
  /** The tag of the scope under which the file was made; absent if it was all rows. */
  readonly scope?: string | undefined;
  /** The version of the API whose fields these are; absent for those of the schema. */
  readonly version?: string | undefined;
}

/** The file of a completed export. */
export interface FinishedFile extends ExportFile {
  readonly expiresMs: number;
}

/** The file of an export; `undefined` if the export is not completed. */
export function fileOf({ status, result, finishedAt }: JobState): FinishedFile | undefined {
  if (status !== "completed" || finishedAt === undefined) return undefined;
  return { ...(result as ExportFile), expiresMs: finishedAt.getTime() + fileKeepMs };
}
