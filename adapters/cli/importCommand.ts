import { CommandError, Interrupted } from "./commandError.js";
import { commandWords } from "./commandWords.js";
import { Display } from "./display.js";
import { followImport } from "./followImport.js";
import { importHelp } from "./help.js";
import { type ImportOptions, parseImportOptions } from "./importOptions.js";
import { readRecord, recordPath, removeRecord, writeRecord } from "./importRecord.js";
import { importRequest } from "./importRequest.js";
import { openInputFile, spoolInput } from "./inputFile.js";
import { Refusal } from "./refusal.js";
import { resumeImport } from "./resumeImport.js";
import type { Session } from "./session.js";
import { submitFile } from "./submitFile.js";
import type { Terminal } from "./terminal.js";

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
  if (job !== undefined) return follow(sessionFor(options, job, terminal), options, job);
  if (to === undefined || file === undefined) throw new Error("The command line of an import has neither a file nor a job.");
  const session = sessionFor(options, to, terminal);
  if (options.resume) return follow(session, options, await recordedJob(file, session));
  return follow(session, options, await sentFile(session, { to, file }, options));
}

function sessionFor({ quiet, headers }: ImportOptions, url: URL, terminal: Terminal): Session {
  const display = new Display(terminal, { isQuiet: quiet });
  return { terminal, display, origin: url.origin, headers, signal: terminal.interruption };
}

async function recordedJob(file: string, session: Session): Promise<URL> {
  const record = file === "-" ? undefined : await readRecord(file);
  if (record === undefined) {
    throw new CommandError(
      `Nothing is known of an import of ${file}: there is no ${recordPath(file)}. Give the address of the import instead of the file.`,
    );
  }
  const url = new URL(record.job);
  if (url.origin !== session.origin) throw new CommandError(`The last import of ${file} is at ${url.href}, which is not where --to points.`);
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
      display.note(`This file was sent before; looking at its import: ${record.job}\nTo import it again: --idempotency-key new`);
      return new URL(record.job);
    }
    const { job, isKnown } = await submitFile(session, input, request);
    if (isKnown) display.note(`This file was sent before: this is what became of it. To import it again: --idempotency-key new`);
    display.note(`The import is ${job.href}`);
    if (file !== "-") await remember(session, file, job, request.key);
    return job;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new Interrupted("Interrupted while the file was sent. Should it have arrived after all, the same command finds its import.");
  } finally {
    await input.close();
  }
}

/** That nothing can be remembered is no reason to leave an import alone that has begun. */
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
    if (json) session.terminal.stdout.write(`${JSON.stringify(job)}\n`);
    return exitCode;
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
    if (isNamed) await removeRecord(file);
    throw new CommandError(
      `${error.message}\nThe import is not there any more, or not yours to see. To import the file again: --idempotency-key new`,
    );
  }
}
