import type { Environment } from "../../../engine/operation/environment.js";
import { retrying } from "../../../engine/operation/work/retry.js";
import type { JobStore } from "../../../ground/storage/queue/jobs.js";
import { type CompiledJob, type OwnInput, systemOwner } from "../own/compile.js";
import type { Calendar } from "./calendar.js";
import { type Tick, tickId } from "./ticks.js";

/** Creates the job of a tick. @returns `false` if there is one */
export async function createTick(
  { schedule }: Calendar,
  tick: Tick,
  {
    store,
    handlers,
    environment,
  }: { readonly store: JobStore; readonly handlers: ReadonlyMap<string, CompiledJob>; readonly environment: Environment },
): Promise<boolean> {
  const at = new Date(tick.atMs);
  const input: OwnInput = { input: await handlers.get(schedule.job)?.stored(schedule.input?.({ at })), tick };
  const job = { id: tickId(tick), type: schedule.job, tenant: schedule.tenant, owner: systemOwner, input, dueAt: at };
  return retrying(() => store.create(job), environment);
}
