import { createHash } from "node:crypto";
import type { JobCall, JobHandler } from "../jobs/handler.js";
import type { JobKind } from "../jobs/kind.js";
import type { JobSettings } from "../jobs/settings.js";
import type { Environment } from "../operation/environment.js";
import { retrying } from "../operation/retry.js";
import type { DeliveryState } from "../storage/deliveries.js";
import type { ClaimedJob, JobAdvance, JobEnd } from "../storage/jobs.js";
import type { Storage } from "../storage/storage.js";
import type { WebhookSettings } from "./settings.js";

/** States of deliveries that can be sent again in bulk. */
export type RecoverableState = Extract<DeliveryState, "dead" | "canceled" | "succeeded">;

/** What a recovery is to do, as its job keeps it. */
export interface RecoveryInput {
  readonly webhook: string;
  /** ISO 8601. */
  readonly since: string;
  /** ISO 8601; `null` for when the job was created. */
  readonly until: string | null;
  readonly statuses: readonly RecoverableState[];
}

/** Type of the jobs of recoveries, and the segment of their paths. */
export const recoverJobs = { type: "webhook-recover", path: "jobs" } as const;

/** How clients see recoveries. */
export function recoverKind(settings: JobSettings): JobKind {
  return {
    ...recoverJobs,
    settings,
    describe: ({ status, counts }) => ({ result: status === "queued" ? null : { replayed: counts["replayed"] ?? 0 } }),
  };
}

const replayedAtOnce = 100;

interface Progress {
  /** Position of the last delivery that was looked at; `undefined` before the first. */
  readonly after: number | undefined;
  readonly processed: number;
  readonly replayed: number;
}

/**
 * Sends again what a webhook did not take: of each event the last delivery. A page of deliveries and how far the job is commit together.
 *
 * @param environment that of the service
 */
export function recoverHandler({ wake }: Pick<WebhookSettings, "wake">, environment: RecoverEnvironment): JobHandler {
  return {
    type: recoverJobs.type,
    async run(job, call) {
      let progress = progressOf(job);
      for (;;) {
        call.signal.throwIfAborted();
        const from = progress;
        const done = await retrying(() => environment.transaction((tx) => replayPage(tx, job, call, from)), environment);
        wake();
        if ("status" in done) return done;
        progress = done;
      }
    },
  };
}

/** What of an environment a recovery needs. */
export type RecoverEnvironment = Pick<Environment, "transaction" | "timers" | "random">;

function progressOf({ cursor, processed, counts }: ClaimedJob): Progress {
  return { after: typeof cursor === "number" ? cursor : undefined, processed, replayed: counts["replayed"] ?? 0 };
}

async function replayPage(tx: Storage, job: ClaimedJob, call: JobCall, from: Progress): Promise<Progress | JobEnd> {
  const { webhooks, deliveries, jobs } = tx;
  if (webhooks === undefined || deliveries === undefined || jobs === undefined) throw new Error(`The transactions of "${tx.name}" keep no webhooks.`);
  const input = job.input as RecoveryInput;
  const result = { replayed: from.replayed };
  if ((await webhooks.get(input.webhook))?.active !== true) {
    const error = { code: "WEBHOOK_INACTIVE", detail: "The webhook is not active any more; nothing else is sent." };
    return { status: "failed", error, result };
  }
  const page = await deliveries.list({
    webhook: input.webhook,
    states: input.statuses,
    since: new Date(input.since),
    until: untilOf(input, job),
    latest: true,
    order: "asc",
    after: from.after,
    limit: replayedAtOnce,
  });
  const last = page.at(-1);
  if (last === undefined) return { status: "completed", result };
  const made = await deliveries.replay(page.map(({ id, position }) => ({ id: replayId(job, position), of: id })));
  const next = { after: last.position, processed: from.processed + page.length, replayed: from.replayed + made.length };
  await call.advance(jobs, advanceTo(next));
  return next;
}

/** What the job itself makes comes after it was created: it must not be looked at in its turn. */
function untilOf({ until }: RecoveryInput, { createdAt }: ClaimedJob): Date {
  return until === null ? createdAt : new Date(Math.min(Date.parse(until), createdAt.getTime()));
}

/** The same whenever the job comes by: a delivery is sent again once. */
function replayId({ id }: ClaimedJob, position: number): string {
  return `dlv_${createHash("sha256").update(`${id}:${position}`).digest("base64url").slice(0, 26)}`;
}

function advanceTo({ after, processed, replayed }: Progress): JobAdvance {
  return { cursor: after, processed, total: null, counts: { replayed } };
}
