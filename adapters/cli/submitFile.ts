import { CommandError } from "./commandError.js";
import type { ImportRequest } from "./importRequest.js";
import type { InputFile } from "./inputFile.js";
import { addressOfJob, parseJob } from "./job.js";
import { Refusal, refusalOf } from "./refusal.js";
import { retrying } from "./retrying.js";
import { type SentAnswer, sendFile } from "./sendFile.js";
import { headersTo, type Session } from "./session.js";

/** A file that has become a job. */
export interface SubmittedFile {
  readonly job: URL;
  /** The job was there before this command began. */
  readonly isKnown: boolean;
}

/**
 * Sends a file, again where the connection is lost or the server is busy: its key makes one import of all tries.
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
  if (status >= 400) throw hinted(refusalOf({ url, status, text, retryAfter: headers["retry-after"] }, Date.now()));
  if (status >= 300) throw new CommandError(`${url.href} answers ${status} with Location: ${headers.location ?? "none"}. Give that to --to.`);
  if (status !== 202) throw new CommandError(`${url.href} answers ${status} where 202 and a job were expected: is it the address of imports?`);
  return addressOfJob(parseJob(text, url), headers.location, url);
}

function hinted(error: Error): Error {
  if (!(error instanceof Refusal) || error.code !== "IDEMPOTENCY_KEY_REUSED") return error;
  const hint = "A file of this name, size and date was sent before, with other content. To import this one as well: --idempotency-key new";
  return new Refusal(`${error.message}\n${hint}`, error.status, error.code);
}
