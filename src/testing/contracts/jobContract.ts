import { callable, optionsCheck, strict } from "../../ground/options/index.js";
import { skipReason } from "../jobs/scenario.js";
import { jobScenarios } from "../jobs/scenarios.js";
import { JobStage, type JobSubject } from "../jobs/stage.js";
import type { ContractCase } from "./storageContract.js";

export interface JobContractOptions {
  /** Opens an empty store that shares no data with earlier ones. Most cases use one store; the caller closes all of them at the end. */
  open(): Promise<JobSubject>;
}

const check = /* @__PURE__ */ optionsCheck("jobContract", () => strict<JobContractOptions>({ open: callable() }, ["open"]));

/**
 * The cases that every job store must pass. They may run in any order and concurrently: each uses its own ids, types and tenants.
 *
 * @example
 * const cases = await jobContract({ open: async () => ({ storage: memoryStorage() }) });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run); // vitest; with node:test: { skip: c.skip }
 */
export async function jobContract(options: JobContractOptions): Promise<readonly ContractCase[]> {
  check(options);
  const stage = await JobStage.open(options.open);
  return jobScenarios.map(({ name, needs = {}, run }) => ({ name, skip: skipReason(needs, stage), run: () => run(stage) }));
}
