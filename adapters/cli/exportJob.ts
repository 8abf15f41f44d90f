import { randomUUID } from "node:crypto";
import { ask, textOf } from "./ask.js";
import { CommandError, Interrupted } from "./commandError.js";
import { commandWords } from "./commandWords.js";
import type { ExportOptions } from "./exportOptions.js";
import { fetchRanges } from "./fetchRanges.js";
import { addressOfJob, type Job, parseJob } from "./job.js";
import type { Output } from "./output.js";
import { printable } from "./printable.js";
import { retrying } from "./retrying.js";
import type { Session } from "./session.js";
import { readJob, watchJob } from "./watchJob.js";

/**
 * Has a file written and fetches it.
 *
 * @returns the job as it ended
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
      { bytes, sha256, locate: async (isFirst) => addressOf(isFirst ? job : await lookAgain(session, url), url) },
      await output(),
    );
    return job;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new Interrupted(`Detached. The export is ${url.href}\nTo fetch it: ${commandWords("export", "--from", url.href, "--out", out)}`);
  }
}

async function createExport(session: Session, from: URL, request: ExportOptions["request"]): Promise<URL> {
  const headers = { "content-type": "application/json", accept: "application/json", "idempotency-key": randomUUID() };
  return retrying(session, async () => {
    const response = await ask(session, from, { method: "POST", headers, body: JSON.stringify(request) });
    if (response.status !== 202)
      throw new CommandError(`${from.href} answers ${response.status} where 202 and a job were expected: is it the address of exports?`);
    const job = addressOfJob(parseJob(await textOf(session, from, response), from), response.headers.get("location"), from);
    session.display.note(`The export is ${job.href}`);
    return job;
  });
}

function fileOf({ status, error, result }: Job, url: URL): { readonly bytes: number; readonly sha256: string } {
  if (status === "failed") throw new CommandError(`The export has failed: ${error?.code ?? "?"}. ${printable(error?.detail ?? "")}`);
  const { bytes, sha256 } = result ?? {};
  if (typeof bytes !== "number" || typeof sha256 !== "string") throw new CommandError(`${url.href} is no export: its result has no file.`);
  return { bytes, sha256 };
}

function addressOf({ result }: Job, url: URL): URL {
  const { downloadUrl, expiresAt } = result ?? {};
  if (typeof downloadUrl === "string") return new URL(downloadUrl, url);
  throw new CommandError(
    `The file of ${url.href} cannot be had: it was kept until ${printable(String(expiresAt))}, or is not yours to read any more.`,
  );
}

/** The address of a file holds for some minutes. */
async function lookAgain(session: Session, url: URL): Promise<Job> {
  const { job } = await readJob(session, url);
  if (job === undefined) throw new CommandError(`${url.href} does not show its job.`);
  return job;
}
