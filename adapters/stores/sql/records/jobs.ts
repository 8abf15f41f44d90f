import type { JobEntry, JobState, JobStore, NewJob } from "../../../../src/ground/storage/queue/jobs.js";
import { isUniqueViolation } from "../engine/errors.js";
import type { SqlStatement } from "../engine/executor.js";
import { joined, run, type Session } from "../engine/session.js";
import { toDelayMs } from "./columns.js";
import { claimJobs } from "./jobClaim.js";
import { selectLaterIn } from "./jobQueue.js";
import { toEntry, toState } from "./jobRow.js";
import * as statements from "./jobStatements.js";
import { deleteEnded, leasedJobs, unclaim } from "./queue/leases.js";
import { leaseRecovery } from "./queue/recoverLeases.js";

/** Jobs in the database of the session, in its transaction if one is open. */
export function sqlJobs(session: Session): JobStore {
  const dialect = session.dialect;
  const affects = (statement: SqlStatement) => writesAny(session, statement);
  const release: JobStore["release"] = (lease, { delayMs, failed }) => affects(statements.releaseJob(dialect, lease, delayMs, failed));
  return {
    create: (job) => joined(session, (inner) => create(inner, job)),
    get: (id) => readState(session, id),
    async withKey(type, tenant, key) {
      const { rows } = await run(session, statements.selectWithKey(dialect, type, tenant, key));
      return rows[0] && String(rows[0]["id"]);
    },
    claim: (request) => claimJobs(session, request),
    unclaim: (claimId) => unclaim(session, leasedJobs, claimId, (lease) => release(lease, { delayMs: 0, failed: false })),
    async laterInMs() {
      const { rows } = await run(session, selectLaterIn(dialect));
      return toDelayMs(rows[0]?.["laterIn"]);
    },
    recover: leaseRecovery(session, leasedJobs),
    async extend(lease, leaseMs) {
      const { rows } = await run(session, statements.extendLease(dialect, lease, leaseMs));
      if (rows[0] === undefined) return "lost";
      return Number(rows[0]["cancel"]) === 1 ? "cancel" : "held";
    },
    async advance(lease, advance) {
      const { entries = [] } = advance;
      const progress = statements.advanceJob(dialect, lease, advance);
      if (entries.length === 0) return affects(progress);
      return joined(session, async (inner) => {
        const held = await writesAny(inner, progress);
        if (held) await append(inner, lease.id, entries);
        return held;
      });
    },
    release,
    finish: (lease, end) =>
      joined(session, async (inner) => {
        const held = await writesAny(inner, statements.finishJob(dialect, lease, end));
        // The job cannot be resumed, so its input is no longer needed.
        if (held && !statements.isResumable(end)) await run(inner, statements.deleteInputs(dialect, [lease.id]));
        return held;
      }),
    reopen: (id) =>
      joined(session, async (inner) => {
        // Locked first: a statement that waited for another transaction would check the input in its old snapshot.
        return (await writesAny(inner, statements.lockFailedJob(dialect, id))) && writesAny(inner, statements.reopenJob(dialect, id));
      }).catch((error: unknown) => {
        // Meanwhile another job got its key.
        if (isUniqueViolation(error)) return false;
        throw error;
      }),
    cancel: (id) => cancel(session, id),
    remove: (id) =>
      joined(session, async (inner) => {
        const removed = await writesAny(inner, statements.removeJob(dialect, id));
        if (removed) await removeParts(inner, [id]);
        return removed;
      }),
    async entries(id, after, limit) {
      const { rows } = await run(session, statements.selectEntries(dialect, id, after, limit));
      return rows.map(toEntry);
    },
    async countQueued(tenant, types) {
      const { rows } = await run(session, statements.countQueuedJobs(dialect, tenant, types));
      return Number(rows[0]?.["queued"]);
    },
    async depth(max) {
      const { rows } = await run(session, statements.countWaitingJobs(dialect, max));
      return Number(rows[0]?.["waiting"]);
    },
    sweep: (keepMs, max) =>
      joined(session, async (inner) => {
        const { rows } = await run(inner, deleteEnded(dialect, leasedJobs, keepMs, max, `"id"`));
        const ids = rows.map(({ id }) => String(id));
        if (ids.length > 0) await removeParts(inner, ids);
        return ids.length;
      }),
  };
}

async function readState(session: Session, id: string): Promise<JobState | undefined> {
  const { rows } = await run(session, statements.selectJob(session.dialect, id));
  return rows[0] && toState(rows[0]);
}

async function cancel(session: Session, id: string): ReturnType<JobStore["cancel"]> {
  for (;;) {
    const status = await joined(session, async (inner) => {
      const { rows } = await run(inner, statements.cancelJob(inner.dialect, id));
      const { status: after, started } = rows[0] ?? {};
      // A queued job that has started was reopened before, and can be reopened again: its input is kept.
      if (after === "failed" && started === null) await run(inner, statements.deleteInputs(inner.dialect, [id]));
      return after;
    });
    if (status !== undefined) return status === "failed" ? "canceled" : "requested";
    const found = await readState(session, id);
    if (found === undefined) return "missing";
    // Otherwise the job was reopened in between: try again.
    if (found.finishedAt !== undefined) return "finished";
  }
}

async function create(session: Session, job: NewJob): Promise<boolean> {
  const dialect = session.dialect;
  if (!(await writesAny(session, statements.insertJob(dialect, job)))) return false;
  await run(session, statements.insertInput(dialect, job));
  await append(session, job.id, job.entries ?? []);
  return true;
}

async function append(session: Session, id: string, entries: readonly JobEntry[]): Promise<void> {
  if (entries.length > 0) await run(session, statements.insertEntries(session.dialect, id, entries));
}

async function removeParts(session: Session, ids: readonly string[]): Promise<void> {
  for (const statement of statements.deleteParts(session.dialect, ids)) await run(session, statement);
}

async function writesAny(session: Session, statement: SqlStatement): Promise<boolean> {
  return (await run(session, statement)).affected > 0;
}
