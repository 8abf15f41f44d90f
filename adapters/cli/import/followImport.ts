import { CommandError, Interrupted, TransientError } from "../commandError.js";
import { fetchWhole } from "../request/fetchWhole.js";
import { type Job, linkOf } from "../request/job.js";
import { Refusal } from "../request/refusal.js";
import { retrying } from "../request/retrying.js";
import { sendRequest } from "../request/sendRequest.js";
import type { Session } from "../request/session.js";
import { readJob, watchJob } from "../request/watchJob.js";
import { formatCount } from "../terminal/formatAmount.js";
import { printable } from "../terminal/printable.js";
import { openErrorReport } from "./errorReport.js";

/** An import that the command follows. */
export interface FollowedImport {
  readonly url: URL;
  /** Name of the file, or URL of the import if no file is known. */
  readonly name: string;
  /** Path of the error report. */
  readonly errors: string;
  /** The command that follows or resumes the import again. */
  readonly again: string;
  readonly isDryRun: boolean;
  readonly cancelOnInterrupt: boolean;
}

/**
 * Follows an import to its end, and saves the rows that failed.
 *
 * @returns the finished job and the exit code
 * @throws {Interrupted} after Ctrl-C; the import continues
 */
export async function followImport(session: Session, followed: FollowedImport): Promise<{ readonly job: Job; readonly exitCode: number }> {
  const job = await watched(session, followed);
  const summary = importSummary(job, followed);
  if (job.status === "completed") session.display.note(summary);
  else session.display.report(summary);
  const isSaved = await saveErrors(session, job, followed);
  const resume = linkOf(job, "resume", followed.url);
  if (resume !== undefined)
    session.display.report(`To resume with the same file: ${followed.again}\nTo continue with a corrected file: --offset ${resumeRow(job)}`);
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
    if (error instanceof TransientError) throw new CommandError(`${error.message}\nTo follow the import again: ${again}`, { cause: error });
    if (!(error instanceof Interrupted)) throw error;
    if (!cancelOnInterrupt) throw new Interrupted(`Detached; the import continues: ${url.href}\nTo follow it again: ${again}`);
    session.display.note("Cancelling.");
    // A session of its own, since the signal of this one is aborted.
    const cancelSession: Session = { ...session, signal: new AbortController().signal };
    await cancelJob(cancelSession, url);
    return watchJob(cancelSession, url, seen);
  }
}

async function saveErrors(session: Session, job: Job, { url, errors }: FollowedImport): Promise<boolean> {
  const link = linkOf(job, "errors", url);
  if (link === undefined) return true;
  try {
    const report = await openErrorReport(errors);
    try {
      await fetchWhole(session, link, { accept: "text/csv", label: "Fetching errors" }, report);
      const path = await report.commit();
      session.display.note(`Failed rows and their errors: ${path}\nTo import them, correct them there and import that file.`);
    } finally {
      await report.discard();
    }
    return true;
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    session.display.report(`The failed rows could not be saved as ${errors}: ${error instanceof Error ? error.message : String(error)}`);
    if (error instanceof CommandError || (error instanceof Error && "code" in error)) return false;
    throw error;
  }
}

function resumeRow(job: Job): number {
  const { resume } = job as Job & { readonly resume?: { readonly row?: unknown } };
  return typeof resume?.row === "number" ? resume.row : job.processedRows;
}

/**
 * Cancels a job, unless it has already ended.
 *
 * @throws {CommandError}
 */
async function cancelJob(session: Session, url: URL): Promise<void> {
  const { job } = await readJob(session, url);
  const link = job && linkOf(job, "cancel", url);
  if (link === undefined) return;
  try {
    const response = await retrying(session, () => sendRequest(session, link, { method: "POST" }));
    await response.body?.cancel();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "JOB_FINISHED") throw error;
  }
}

/** The number of rows by result. */
interface Outcome {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
}

const none: Outcome = { created: 0, updated: 0, skipped: 0, failed: 0 };

/** The counts of a finished import. */
function outcomeOf({ result }: Job): Outcome {
  const numbers = Object.keys(none).map((name) => [name, Number(result?.[name] ?? 0)] as const);
  return { ...none, ...Object.fromEntries(numbers) };
}

/** 0 if all rows were imported, 2 if some failed, 1 if the import failed. */
function exitCodeOf(job: Job): number {
  if (job.status !== "completed") return 1;
  return outcomeOf(job).failed > 0 ? 2 : 0;
}

/** A summary of a finished import. */
function importSummary(job: Job, { name, isDryRun }: { readonly name: string; readonly isDryRun: boolean }): string {
  const { error, status } = job;
  if (status === "completed") return isDryRun ? `Dry run of ${name}: ${counts(job)}. Nothing was written.` : `Imported ${name}: ${counts(job)}.`;
  const at = error?.row === undefined ? "" : ` at row ${formatCount(error.row)}`;
  const why = error === null ? "" : `: ${error.code}${at}${error.detail === undefined ? "" : `. ${printable(error.detail)}`}`;
  return `The import of ${name} failed${why}\nBefore that: ${counts(job)}.`;
}

function counts(job: Job): string {
  const parts = Object.entries(outcomeOf(job)).flatMap(([name, count]) => (count > 0 ? [`${formatCount(count)} ${name}`] : []));
  return parts.length === 0 ? "no rows" : parts.join(", ");
}
