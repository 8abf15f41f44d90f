import { CommandError } from "../commandError.js";
import { addressOfJob, parseJob } from "../request/job.js";
import { Refusal, refusalOf } from "../request/refusal.js";
import { retrying } from "../request/retrying.js";
import { headersTo, type Session } from "../request/session.js";
import type { ImportRequest } from "./importRequest.js";
import type { InputFile } from "./inputFile.js";
import { type SentAnswer, sendFile } from "./sendFile.js";

/** A file that was sent, and its job. */
export interface SubmittedFile {
  readonly job: URL;
  /** Whether the job existed before this command. */
  readonly isKnown: boolean;
}

/**
 * Sends a file, and sends it again if the connection is lost or the server is busy. All attempts have one idempotency key, so that there is one import.
 *
 * @throws {CommandError}
 */
export async function submitFile(session: Session, file: InputFile, request: ImportRequest): Promise<SubmittedFile> {
  const { url, headers } = request;
  return retrying(session, async (before) => {
    await file.requireUnchanged();
    const answer = await sendFile(url, file, {
      headers: { ...headersTo(session, url), ...headers },
      signal: session.signal,
      sent: (done) => session.display.show({ label: "Sending", unit: "bytes", done, total: file.bytes }),
    });
    return { job: jobOf(answer, url), isKnown: before === 0 && answer.headers["idempotent-replayed"] === "true" };
  });
}

function jobOf({ status, headers, text }: SentAnswer, url: URL): URL {
  if (status >= 400) throw hinted(refusalOf({ url, status, text, retryAfter: headers["retry-after"] }, Date.now()), url);
  if (status >= 300)
    throw new CommandError(`${url.href} answers with status ${status} and Location: ${headers.location ?? "none"}. Use that URL in --to.`);
  if (status !== 202)
    throw new CommandError(`${url.href} answers with status ${status} instead of 202 and a job. Check that it is the URL of /imports.`);
  return addressOfJob(parseJob(text, url), headers.location, url);
}

function hinted(error: Error, { origin, pathname }: URL): Error {
  if (!(error instanceof Refusal)) return error;
  const base = `${origin}${pathname.replace(/\/[^/]*\/?$/, "")}`;
  const isElsewhere = [404, 405, 415, 422].includes(error.status) && !/\/imports?\/?$/.test(pathname);
  const hint =
    error.code === "IDEMPOTENCY_KEY_REUSED"
      ? "A file with this path, size and date, but other content, was sent before. To import this one too: --idempotency-key new"
      : isElsewhere
        ? `--to is the address at which the service takes imports, such as ${base}/imports or ${base}/users/import.`
        : undefined;
  if (hint === undefined) return error;
  return new Refusal(`${error.message}\n${hint}`, error.status, error.code);
}
