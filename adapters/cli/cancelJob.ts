import { ask } from "./ask.js";
import { linkOf } from "./job.js";
import { Refusal } from "./refusal.js";
import { retrying } from "./retrying.js";
import type { Session } from "./session.js";
import { readJob } from "./watchJob.js";

/**
 * Cancels a job. One that has ended meanwhile is left alone.
 *
 * @throws {CommandError}
 */
export async function cancelJob(session: Session, url: URL): Promise<void> {
  const { job } = await readJob(session, url);
  const link = job && linkOf(job, "cancel", url);
  if (link === undefined) return;
  try {
    const response = await retrying(session, () => ask(session, link, { method: "POST" }));
    await response.body?.cancel();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "JOB_FINISHED") throw error;
  }
}
