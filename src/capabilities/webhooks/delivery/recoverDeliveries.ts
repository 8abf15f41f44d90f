import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { jsonBody } from "../../../engine/resource/write/jsonBody.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { NewJob } from "../../../ground/storage/queue/jobs.js";
import { parseDateTime } from "../../../language/schema/wire.js";
import { acceptedJob } from "../../jobs/answer.js";
import { type JobSettings, jobsOf } from "../../jobs/settings.js";
import { submitJob } from "../../jobs/submit/submit.js";
import { jobIdOf } from "../../jobs/submit/submitRequest.js";
import { commitWebhooks } from "../registration/commitWebhooks.js";
import { findWebhook } from "../registration/findWebhook.js";
import { invalidMember, MemberProblems, membersOf } from "../registration/memberProblems.js";
import type { WebhookSettings } from "../settings.js";
import { requireReadableSecrets } from "../signing/openSecrets.js";
import { type RecoverableState, type RecoveryInput, recoverJobs } from "./recover.js";
import { requireActive } from "./replayDelivery.js";

const members = ["since", "until", "statuses"];
const states: readonly RecoverableState[] = ["dead", "canceled", "succeeded"];
const lost: readonly RecoverableState[] = ["dead", "canceled"];
const furthestBackMs = 14 * 86_400_000;

/** POST that creates a job which sends failed deliveries again. */
export function recoverDeliveriesOperation(settings: WebhookSettings, limits: Limits): Operation {
  return {
    name: "webhooks.recover",
    method: "POST",
    standsAlone: true,
    access: { action: "update", collection: "webhooks" },
    body: jsonBody(limits),
    run: (context) => recover(settings, context),
  };
}

async function recover(settings: WebhookSettings, context: Context): Promise<HttpResponse> {
  const { environment, principal } = context;
  const jobs = jobsOf(environment);
  const webhook = await findWebhook(settings, context);
  if (jobs === undefined) throw new ProblemError("JOBS_UNSUPPORTED", "The storage keeps no jobs; replay deliveries one by one.");
  const asked = readRequest(context);
  requireActive(webhook);
  await requireReadableSecrets(webhook, settings.box, environment);
  const job: NewJob = {
    id: jobIdOf(context),
    type: recoverJobs.type,
    tenant: principal.tenant,
    owner: principal.id,
    input: { webhook: webhook.id, ...asked } satisfies RecoveryInput,
  };
  const response = await commitWebhooks(settings, context, (stores) => submit(context, jobs, job, stores.jobs));
  jobs.wake();
  return response;
}

async function submit(context: Context, settings: JobSettings, job: NewJob, store = settings.store): Promise<HttpResponse> {
  return acceptedJob(recoverJobs, context, await submitJob(settings, job, store));
}

function readRequest({ body, environment }: Context): Omit<RecoveryInput, "webhook"> {
  const given = membersOf(body);
  const nowMs = environment.clock.now();
  const problems = new MemberProblems();
  for (const name of Object.keys(given)) if (!members.includes(name)) problems.unknown(name, members);
  const since = problems.read(() => readSince(given["since"], nowMs));
  const until = problems.read(() => ((given["until"] ?? null) === null ? undefined : readInstant("until", given["until"])));
  const statuses = problems.read(() => readStatuses(given["statuses"] ?? lost));
  if (since !== undefined && until !== undefined && until <= since) {
    problems.read(() => {
      throw invalidMember(["until"], `"until" must be later than "since".`);
    });
  }
  problems.refuse();
  return { since: (since ?? new Date(nowMs)).toISOString(), until: until?.toISOString() ?? null, statuses: statuses ?? lost };
}

function readSince(value: unknown, nowMs: number): Date {
  const since = readInstant("since", value);
  if (since.getTime() >= nowMs - furthestBackMs && since.getTime() <= nowMs) return since;
  throw invalidMember(["since"], `"since" must lie within the last 14 days.`);
}

function readInstant(name: string, value: unknown): Date {
  const instant = typeof value === "string" ? parseDateTime(value) : undefined;
  if (instant !== undefined) return instant;
  throw invalidMember([name], `"${name}" must be a date-time with Z or an offset.`);
}

function readStatuses(value: unknown): readonly RecoverableState[] {
  if (Array.isArray(value) && value.length > 0 && value.every((each) => states.includes(each)))
    return states.filter((state) => value.includes(state));
  throw invalidMember(["statuses"], `"statuses" must be a list of one or more of ${states.join(", ")}.`, states);
}
