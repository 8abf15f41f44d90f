import { createHash } from "node:crypto";
import type { Environment } from "../../../engine/operation/environment.js";
import type { JobCall } from "../../../engine/operation/work/runningJob.js";
import type { Delivery, DeliveryState } from "../../../ground/storage/queue/deliveries.js";
import type { ClaimedJob, JobAdvance, JobEnd } from "../../../ground/storage/queue/jobs.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { ShownJobs } from "../../jobs/kind.js";
import type { JobHandler } from "../../jobs/run/handler.js";
import { sharedPath } from "../../jobs/sharedPath.js";
import type { WebhookSettings } from "../settings.js";
import { allowedDeliveries } from "./deliveryAudience.js";

/** States of deliveries that a recovery can send again. */
export type RecoverableState = Extract<DeliveryState, "dead" | "canceled" | "succeeded">;

/** The input of a recovery job. */
export interface RecoveryInput {
  readonly webhook: string;
  /** ISO 8601. */
  readonly since: string;
  /** ISO 8601; `null` stands for the time at which the job was created. */
  readonly until: string | null;
  readonly statuses: readonly RecoverableState[];
}

/** The type of recovery jobs, and the segment of their paths. */
export const recoverJobs = { type: "webhook-recover", path: sharedPath } as const;

/** How clients see recovery jobs. */
export const shownRecovery: ShownJobs = {
  describe: ({ status, counts }) => ({ result: status === "queued" ? null : { replayed: counts["replayed"] ?? 0 } }),
};

const replayedAtOnce = 100;

interface Progress {
  /** Position of the last delivery that was processed; `undefined` at the beginning. */
  readonly after: number | undefined;
  readonly processed: number;
  readonly replayed: number;
}

/**
 * Sends failed deliveries of a webhook again: the last delivery of each event. A page of new deliveries commits with the progress of the job.
 *
 * @param environment the environment of the service
 */
export function recoverHandler(settings: RecoverSettings, environment: RecoverEnvironment): JobHandler {
  return {
    type: recoverJobs.type,
    async run(job, call) {
      let progress = progressOf(job);
      for (;;) {
        call.signal.throwIfAborted();
        const from = progress;
        const page = await pageAfter(settings, job, from);
        const done = await environment.transaction((tx) => replayPage(tx, { job, call, from, page }));
        settings.wake();
        if ("status" in done) return done;
        progress = done;
      }
    },
  };
}

/** The parts of the settings that a recovery uses. */
export type RecoverSettings = Pick<WebhookSettings, "webhooks" | "deliveries" | "scopes" | "wake">;

/** The parts of an environment that a recovery uses. */
export type RecoverEnvironment = Pick<Environment, "transaction">;

function progressOf({ cursor, processed, counts }: ClaimedJob): Progress {
  return { after: typeof cursor === "number" ? cursor : undefined, processed, replayed: counts["replayed"] ?? 0 };
}

/** The next deliveries to send again. Scopes are asked here, outside of the transaction. */
interface RecoveredPage {
  /** Position of the last delivery; `undefined` if there are no more. */
  readonly last: number | undefined;
  readonly allowed: readonly Delivery[];
}

async function pageAfter(settings: RecoverSettings, job: ClaimedJob, { after }: Progress): Promise<RecoveredPage> {
  const input = job.input as RecoveryInput;
  const webhook = await settings.webhooks.get(input.webhook);
  if (webhook === undefined) return { last: undefined, allowed: [] };
  const page = await settings.deliveries.list({
    webhook: input.webhook,
    states: input.statuses,
    since: new Date(input.since),
    until: untilOf(input, job),
    latest: true,
    order: "asc",
    after,
    limit: replayedAtOnce,
  });
  return { last: page.at(-1)?.position, allowed: await allowedDeliveries(settings, webhook, page) };
}

interface Recovery {
  readonly job: ClaimedJob;
  readonly call: JobCall;
  readonly from: Progress;
  readonly page: RecoveredPage;
}

async function replayPage(tx: Storage, { job, call, from, page: { last, allowed } }: Recovery): Promise<Progress | JobEnd> {
  const { webhooks, deliveries, jobs } = tx;
  if (webhooks === undefined || deliveries === undefined || jobs === undefined) throw new Error(`The transactions of "${tx.name}" keep no webhooks.`);
  const result = { replayed: from.replayed };
  if ((await webhooks.get((job.input as RecoveryInput).webhook))?.active !== true) {
    const error = { code: "WEBHOOK_INACTIVE", detail: "The webhook is no longer active; nothing else is sent." };
    return { status: "failed", error, result };
  }
  if (last === undefined) return { status: "completed", result };
  const made = await deliveries.replay(allowed.map(({ id, position }) => ({ id: replayId(job, position), of: id })));
  const next = { after: last, processed: from.processed + allowed.length, replayed: from.replayed + made.length };
  await call.advance(jobs, advanceTo(next));
  return next;
}

/** Deliveries that the job creates come after its own creation, and must not be processed again. */
function untilOf({ until }: RecoveryInput, { createdAt }: ClaimedJob): Date {
  return until === null ? createdAt : new Date(Math.min(Date.parse(until), createdAt.getTime()));
}

/** The same for each attempt of the job, so that a delivery is sent again only once. */
function replayId({ id }: ClaimedJob, position: number): string {
  return `dlv_${createHash("sha256").update(`${id}:${position}`).digest("base64url").slice(0, 26)}`;
}

function advanceTo({ after, processed, replayed }: Progress): JobAdvance {
  return { cursor: after, processed, total: null, counts: { replayed } };
}
