import { randomUUID } from "node:crypto";
import { CommandError, Interrupted } from "../commandError.js";
import { commandWords } from "../commandWords.js";
import { importHelp } from "../help.js";
import { requireWritable } from "../output.js";
import { type Job, linkOf } from "../request/job.js";
import { Refusal } from "../request/refusal.js";
import { retrying } from "../request/retrying.js";
import { sendRequest } from "../request/sendRequest.js";
import { openSession, type Session } from "../request/session.js";
import { readJob } from "../request/watchJob.js";
import { jsonLine } from "../terminal/printable.js";
import type { Terminal } from "../terminal/terminal.js";
import { followImport } from "./followImport.js";
import { type ImportOptions, parseImportOptions } from "./importOptions.js";
import { readRecord, recordPath, removeRecord, writeRecord } from "./importRecord.js";
import { importRequest } from "./importRequest.js";
import { openInputFile, spoolInput } from "./inputFile.js";
import { submitFile } from "./submitFile.js";

/**
 * `restwright import`: sends a file, follows its import, and saves the rows that failed.
 *
 * @returns the exit code
 * @throws {CommandError}
 */
export async function importCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseImportOptions(args, terminal.variables);
  if (options === "help") {
    terminal.stdout.write(importHelp);
    return 0;
  }
  const { job, to, file } = options;
  if (job !== undefined) return follow(openSession(options, job, terminal), options, job);
  if (to === undefined || file === undefined) throw new Error("The command line of an import has neither a file nor a job.");
  if (options.errors !== undefined) await requireWritable(options.errors, "--errors");
  const session = openSession(options, to, terminal);
  if (options.resume) return follow(session, options, await recordedJob(file, session));
  return follow(session, options, await sentFile(session, { to, file }, options));
}

async function recordedJob(file: string, session: Session): Promise<URL> {
  const record = file === "-" ? undefined : await readRecord(file);
  if (record === undefined) {
    throw new CommandError(
      `No import of ${file} is known: the file ${recordPath(file)} does not exist. Give the URL of the import instead of the file.`,
    );
  }
  const url = new URL(record.job);
  if (url.origin !== session.origin) throw new CommandError(`The last import of ${file} is ${url.href}, which is on another host than --to.`);
  return url;
}

/** Sends the file, unless its last import was sent with the same options. */
async function sentFile(session: Session, { to, file }: { readonly to: URL; readonly file: string }, options: ImportOptions): Promise<URL> {
  const { terminal, display, signal } = session;
  const input = file === "-" ? await spoolInput(terminal.stdin, signal) : await openInputFile(file);
  try {
    const request = importRequest(to, input, options);
    const record = file === "-" ? undefined : await readRecord(file);
    if (record?.key === request.key && new URL(record.job).origin === session.origin) {
      display.note(`This file was sent before; following its import: ${record.job}\nTo import it again: --idempotency-key new`);
      return new URL(record.job);
    }
    const { job, isKnown } = await submitFile(session, input, request);
    if (isKnown) display.note(`This file was sent before; following its import. To import it again: --idempotency-key new`);
    display.note(`Import: ${job.href}`);
    if (file !== "-") await remember(session, file, job, request.key);
    return job;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new Interrupted("Interrupted while the file was sent. If the whole file has arrived, the same command finds its import.");
  } finally {
    await input.close();
  }
}

/** Writes the record of the import. If that fails, the import continues without it. */
async function remember({ display }: Session, file: string, job: URL, key: string): Promise<void> {
  await writeRecord(file, { job: job.href, key }).catch((error: Error) => display.note(`${recordPath(file)} could not be written: ${error.message}`));
}

async function follow(session: Session, options: ImportOptions, url: URL): Promise<number> {
  const { file, to, cancelOnInterrupt, json, parameters } = options;
  const id = url.pathname.split("/").at(-1) ?? "";
  const isNamed = file !== undefined && file !== "-";
  const errors = options.errors ?? (isNamed ? `${file}.errors.csv` : `import-${id}.errors.csv`);
  const again =
    isNamed && to !== undefined ? commandWords("import", file, "--to", to.href, "--resume") : commandWords("import", url.href, "--resume");
  const name = file === undefined ? url.href : isNamed ? file : "standard input";
  const followed = { url, name, errors, again, isDryRun: parameters["dryRun"] === "true", cancelOnInterrupt };
  try {
    if (options.resume) await resumeImport(session, url);
    const { job, exitCode } = await followImport(session, followed);
    if (isNamed && job.links["resume"] === undefined) await removeRecord(file);
    if (json) session.terminal.stdout.write(jsonLine(job));
    return exitCode;
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
    if (isNamed) await removeRecord(file);
    throw new CommandError(
      `${error.message}\nThe import no longer exists, or you are not allowed to see it. To import the file again: --idempotency-key new`,
    );
  }
}

/**
 * Resumes a failed import; does nothing for others.
 *
 * @throws {CommandError} if the import cannot be resumed
 */
async function resumeImport(session: Session, url: URL): Promise<void> {
  const { job } = await readJob(session, url);
  if (job === undefined || job.status !== "failed") return;
  const link = linkOf(job, "resume", url);
  if (link === undefined) throw new CommandError(`The import cannot be resumed${reasonOf(job)}. Send the file again with --idempotency-key new.`);
  // If the response is lost, a retry with the same key does not resume an import that has failed again in between.
  const headers = { "idempotency-key": randomUUID() };
  const response = await retrying(session, () => sendRequest(session, link, { method: "POST", headers }));
  await response.body?.cancel();
  session.display.note("The import was resumed.");
}

function reasonOf({ error }: Job): string {
  return error === null ? "" : `: it failed with ${error.code}`;
}
