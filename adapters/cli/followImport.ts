import { cancelJob } from "./cancelJob.js";
import { CommandError, Interrupted } from "./commandError.js";
import { fetchWhole } from "./fetchWhole.js";
import { exitCodeOf, importSummary } from "./importSummary.js";
import { type Job, linkOf } from "./job.js";
import { openFileOutput } from "./output.js";
import type { Session } from "./session.js";
import { TransientError } from "./transientError.js";
import { watchJob } from "./watchJob.js";

/** An import, as the user knows it. */
export interface FollowedImport {
  readonly url: URL;
  /** Of the file, or of the import where only that is known. */
  readonly name: string;
  /** Where the rows that failed go. */
  readonly errors: string;
  /** The command that looks at it again, or lets it go on. */
  readonly again: string;
  readonly isDryRun: boolean;
  readonly cancelOnInterrupt: boolean;
}

/**
 * Follows an import to its end, and saves the rows that failed.
 *
 * @returns the job as it ended, and the exit code that it asks for
 * @throws {Interrupted} when the user has enough of it; the import goes on
 */
export async function followImport(session: Session, followed: FollowedImport): Promise<{ readonly job: Job; readonly exitCode: number }> {
  const job = await watched(session, followed);
  const summary = importSummary(job, followed);
  if (job.status === "completed") session.display.note(summary);
  else session.display.report(summary);
  const isSaved = await saveErrors(session, job, followed);
  const resume = linkOf(job, "resume", followed.url);
  if (resume !== undefined) session.display.report(`To go on with the same file: ${followed.again}\nWith another one: --offset ${resumeRow(job)}`);
  return { job, exitCode: isSaved ? exitCodeOf(job) : 1 };
}

async function watched(session: Session, { url, again, cancelOnInterrupt }: FollowedImport): Promise<Job> {
  const seen = (job: Job) => {
    const label = job.status === "queued" ? "Waiting" : "Importing";
    session.display.show({ label, unit: "rows", done: job.processedRows, total: job.totalRows ?? undefined, fraction: job.progress });
  };
  try {
    return await watchJob(session, url, seen);
  } catch (error) {
    if (error instanceof TransientError) throw new CommandError(`${error.message}\nTo see what becomes of the import: ${again}`, { cause: error });
    if (!(error instanceof Interrupted)) throw error;
    if (!cancelOnInterrupt) throw new Interrupted(`Detached. The import goes on: ${url.href}\nTo see what becomes of it: ${again}`);
    session.display.note("Cancelling.");
    // What ends the waiting must not end the cancelling.
    const unbroken: Session = { ...session, signal: new AbortController().signal };
    await cancelJob(unbroken, url);
    return watchJob(unbroken, url, seen);
  }
}

async function saveErrors(session: Session, job: Job, { url, errors }: FollowedImport): Promise<boolean> {
  const link = linkOf(job, "errors", url);
  if (link === undefined) return true;
  try {
    const output = await openFileOutput(errors);
    try {
      await fetchWhole(session, link, { accept: "text/csv", label: "Fetching errors" }, output);
      await output.commit();
    } finally {
      await output.discard();
    }
    session.display.note(`The rows that failed, with what was wrong: ${errors}\nMend them there and import that file.`);
    return true;
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    session.display.report(`The rows that failed could not be saved as ${errors}: ${error instanceof Error ? error.message : String(error)}`);
    if (error instanceof CommandError || (error instanceof Error && "code" in error)) return false;
    throw error;
  }
}

function resumeRow(job: Job): number {
  const { resume } = job as Job & { readonly resume?: { readonly row?: unknown } };
  return typeof resume?.row === "number" ? resume.row : job.processedRows;
}
