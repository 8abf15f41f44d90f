import { randomUUID } from "node:crypto";
import { CommandError, Interrupted } from "../commandError.js";
import { commandWords } from "../commandWords.js";
import type { Output } from "../output.js";
import { addressOfJob, type Job, parseJob } from "../request/job.js";
import { retrying } from "../request/retrying.js";
import { readText, sendRequest } from "../request/sendRequest.js";
import type { Session } from "../request/session.js";
import { readJob, watchJob } from "../request/watchJob.js";
import { printable } from "../terminal/printable.js";
import type { ExportOptions } from "./exportOptions.js";
import { fetchRanges } from "./fetchRanges.js";

/**
 * Creates an export, waits for it, and fetches its file.
 *
 * @returns the finished job
 * @throws {CommandError}
 */
export async function exportByJob(session: Session, { from, source, request, out }: ExportOptions, output: () => Promise<Output>): Promise<Job> {
  const url = source === "job" ? from : await createExport(session, from, request);
  try {
    const job = await watchJob(session, url, ({ status, processedRows, totalRows, progress }) => {
      const label = status === "queued" ? "Waiting" : "Exporting";
      session.display.show({
        label,
        unit: "rows",
        done: processedRows,
        total: totalRows ?? undefined,
        fraction: totalRows === null ? undefined : progress,
      });
    });
    const { bytes, sha256 } = fileOf(job, url);
    await fetchRanges(
      session,
      { bytes, sha256, locate: async (isFirst) => addressOf(isFirst ? job : await rereadJob(session, url), url) },
      await output(),
    );
    return job;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new Interrupted(`Detached; the export continues: ${url.href}\nTo fetch it: ${commandWords("export", "--from", url.href, "--out", out)}`);
  }
}

async function createExport(session: Session, from: URL, request: ExportOptions["request"]): Promise<URL> {
  const headers = { "content-type": "application/json", accept: "application/json", "idempotency-key": randomUUID() };
  return retrying(session, async () => {
    const response = await sendRequest(session, from, { method: "POST", headers, body: JSON.stringify(request) });
    if (response.status !== 202)
      throw new CommandError(`${from.href} answers with status ${response.status} instead of 202 and a job. Check that it is the URL of /exports.`);
    const job = addressOfJob(parseJob(await readText(session, from, response), from), response.headers.get("location"), from);
    session.display.note(`Export: ${job.href}`);
    return job;
  });
}

function fileOf({ status, error, result }: Job, url: URL): { readonly bytes: number; readonly sha256: string } {
  if (status === "failed") throw new CommandError(`The export failed: ${error?.code ?? "?"}. ${printable(error?.detail ?? "")}`);
  const { bytes, sha256 } = result ?? {};
  if (typeof bytes !== "number" || typeof sha256 !== "string") throw new CommandError(`${url.href} is not an export: its result has no file.`);
  return { bytes, sha256 };
}

function addressOf({ result }: Job, url: URL): URL {
  const { downloadUrl, expiresAt } = result ?? {};
  if (typeof downloadUrl === "string" && URL.canParse(downloadUrl, url.href)) return new URL(downloadUrl, url);
  throw new CommandError(
    `The file of ${url.href} is not available: it expired at ${printable(String(expiresAt))}, or you are no longer allowed to read it.`,
  );
}

/** Reads the job again for a new address of the file, which is valid for some minutes only. */
async function rereadJob(session: Session, url: URL): Promise<Job> {
  const { job } = await readJob(session, url);
  if (job === undefined) throw new CommandError(`${url.href} answers 304 without an If-None-Match.`);
  return job;
}
