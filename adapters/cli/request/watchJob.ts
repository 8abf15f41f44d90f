import { CommandError, Interrupted } from "../commandError.js";
import { isEnded, type Job, parseJob } from "./job.js";
import { parseRetryAfter } from "./refusal.js";
import { retrying } from "./retrying.js";
import { readText, sendRequest } from "./sendRequest.js";
import type { Session } from "./session.js";

const firstWaitMs = 100;
const usualWaitMs = 2_000;
const redrawMs = 1_000;

/**
 * Polls a job until it has ended: at short intervals first, then as often as `Retry-After` says. Retries if the server is not available for a while.
 *
 * @param seen called with each state, and every second with the last one, so that the display is redrawn
 * @throws {Interrupted} when the signal of the session aborts; the job continues
 */
export async function watchJob(session: Session, url: URL, seen: (job: Job) => void): Promise<Job> {
  let known: { readonly job: Job; readonly etag: string | null } | undefined;
  for (let polls = 0; ; polls++) {
    const read = await readJob(session, url, known?.etag ?? undefined);
    known = read.job === undefined ? known : { job: read.job, etag: read.etag };
    if (known === undefined) throw new CommandError(`${url.href} answers 304 without an If-None-Match.`);
    seen(known.job);
    if (isEnded(known.job)) return known.job;
    await waiting(session, Math.min(read.hintMs || usualWaitMs, firstWaitMs * 2 ** polls), () => known && seen(known.job));
  }
}

/** Reads a job; without `job` if it has not changed since the tag. */
export async function readJob(session: Session, url: URL, etag?: string | undefined): Promise<{ job?: Job; etag: string | null; hintMs: number }> {
  return retrying(session, async () => {
    const headers = { accept: "application/json", ...(etag === undefined ? {} : { "if-none-match": etag }) };
    const response = await sendRequest(session, url, { headers });
    const text = await readText(session, url, response);
    const answer = {
      etag: response.headers.get("etag"),
      hintMs: parseRetryAfter(response.headers.get("retry-after") ?? undefined, Date.now()),
    };
    return response.status === 304 ? answer : { ...answer, job: parseJob(text, url) };
  });
}

async function waiting({ terminal, signal }: Session, ms: number, everySecond: () => void): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= redrawMs) {
    await terminal.sleep(Math.min(leftMs, redrawMs), signal);
    if (signal.aborted) throw new Interrupted();
    if (leftMs > redrawMs) everySecond();
  }
}
