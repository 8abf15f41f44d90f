import { skipReason } from "./jobs/scenario.js";
import { jobScenarios } from "./jobs/scenarios.js";
import { JobStage, type JobSubject } from "./jobs/stage.js";
import type { ContractCase } from "./storageContract.js";

export interface JobContractOptions {
  /** An empty store, which shares no data with those before. One serves nearly all checks; the caller closes all that were opened, afterwards. */
  open(): Promise<JobSubject>;
}

/**
 * The checks that every store of jobs has to pass. They may run in any order and at the same time: each uses ids, types and tenants of its own.
 *
 * @example
 * const cases = await jobContract({ open: async () => ({ storage: memoryStorage() }) });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run); // vitest; with node:test: { skip: c.skip }
 */
export async function jobContract(options: JobContractOptions): Promise<readonly ContractCase[]> {
  const stage = await JobStage.open(options.open);
  return jobScenarios.map(({ name, needs = {}, run }) => ({ name, skip: skipReason(needs, stage), run: () => run(stage) }));
}
