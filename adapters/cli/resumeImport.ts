import { randomUUID } from "node:crypto";
import { ask } from "./ask.js";
import { CommandError } from "./commandError.js";
import { type Job, linkOf } from "./job.js";
import { retrying } from "./retrying.js";
import type { Session } from "./session.js";
import { readJob } from "./watchJob.js";

/**
 * Lets an import go on that has failed; one that is under way needs nothing.
 *
 * @throws {CommandError} where it has failed for good
 */
export async function resumeImport(session: Session, url: URL): Promise<void> {
  const { job } = await readJob(session, url);
  if (job === undefined || job.status !== "failed") return;
  const link = linkOf(job, "resume", url);
  if (link === undefined) throw new CommandError(`The import cannot go on${reasonOf(job)}. Send the file again, with --idempotency-key new.`);
  // Should its answer be lost, the same key does not reopen what may have failed again meanwhile.
  const headers = { "idempotency-key": randomUUID() };
  const response = await retrying(session, () => ask(session, link, { method: "POST", headers }));
  await response.body?.cancel();
  session.display.note("The import goes on.");
}

function reasonOf({ error }: Job): string {
  return error === null ? "" : `: it has ended with ${error.code}`;
}
