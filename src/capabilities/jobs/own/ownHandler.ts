import type { Environment } from "../../../engine/operation/environment.js";
import type { JobCall } from "../../../engine/operation/work/runningJob.js";
import type { ClaimedJob, JobEnd, JobStore } from "../../../ground/storage/queue/jobs.js";
import type { Calendar } from "../schedules/calendar.js";
import { whyNot } from "../schedules/ticks.js";
import type { CompiledJob, OwnInput } from "./compile.js";
import { OwnRun } from "./ownRun.js";

/** What the developer has defined, compiled. */
export interface CompiledOwn {
  readonly handlers: ReadonlyMap<string, CompiledJob>;
  readonly calendars: ReadonlyMap<string, Calendar>;
}

/** Makes one attempt at a job of a handler of the developer's. */
export async function runOwn(
  { handlers, calendars }: CompiledOwn,
  { environment, store }: { readonly environment: Environment; readonly store: JobStore },
  job: ClaimedJob,
  call: JobCall,
): Promise<JobEnd> {
  const handler = handlers.get(job.type);
  if (handler === undefined) throw new Error(`There is no handler "${job.type}".`);
  const stored = job.input as OwnInput;
  const skipped = stored.tick && (await whyNot(stored.tick, job, calendars, { store, clock: environment.clock }));
  if (skipped !== undefined) {
    environment.logger.warn({ job: job.id, schedule: stored.tick?.schedule }, `A tick of a schedule was left out. ${skipped}`);
    return { status: "completed", result: { skipped } };
  }
  const run = new OwnRun(environment, job, call, stored, await handler.read(stored.input));
  await run.renew();
  const returned: unknown = await handler.run(run as never);
  const result = jsonOf(returned);
  await run.storeProgress();
  if (result.ok) return { status: "completed", result: result.value };
  const detail = `The handler "${handler.name}" has done its work, but its result cannot be written as JSON.`;
  return { status: "failed", error: { code: "INTERNAL", detail } };
}

function jsonOf(value: unknown): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return { ok: true, value: text === undefined ? undefined : JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}
