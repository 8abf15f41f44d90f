import { ask, textOf } from "./ask.js";
import { CommandError, Interrupted } from "./commandError.js";
import { isEnded, type Job, parseJob } from "./job.js";
import { parseRetryAfter } from "./refusal.js";
import { retrying } from "./retrying.js";
import type { Session } from "./session.js";

const firstWaitMs = 100;
const usualWaitMs = 2_000;
const redrawMs = 1_000;

/**
 * Looks at a job until it has ended: soon at first, then as often as the server says. A server that is away for a while is waited for.
 *
 * @param seen hears of each state, and of the last one again every second, so that people see that somebody is there
 * @throws {Interrupted} when the signal of the session aborts; the job goes on
 */
export async function watchJob(session: Session, url: URL, seen: (job: Job) => void): Promise<Job> {
  let known: { readonly job: Job; readonly etag: string | null } | undefined;
  for (let looks = 0; ; looks++) {
    const look = await readJob(session, url, known?.etag ?? undefined);
    known = look.job === undefined ? known : { job: look.job, etag: look.etag };
    if (known === undefined) throw new CommandError(`${url.href} says that nothing has changed, but was never asked before.`);
    seen(known.job);
    if (isEnded(known.job)) return known.job;
    await waiting(session, Math.min(look.hintMs || usualWaitMs, firstWaitMs * 2 ** looks), () => known && seen(known.job));
  }
}

/** A job as it stands; without `job` where it is as the tag says. */
export async function readJob(session: Session, url: URL, etag?: string | undefined): Promise<{ job?: Job; etag: string | null; hintMs: number }> {
  return retrying(session, async () => {
    const headers = { accept: "application/json", ...(etag === undefined ? {} : { "if-none-match": etag }) };
    const response = await ask(session, url, { headers });
    const text = await textOf(session, url, response);
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
