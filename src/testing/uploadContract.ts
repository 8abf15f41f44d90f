import type { ContractCase } from "./storageContract.js";
import { skipReason } from "./uploads/scenario.js";
import { uploadScenarios } from "./uploads/scenarios.js";
import { UploadStage, type UploadSubject } from "./uploads/stage.js";

export interface UploadContractOptions {
  /** An empty store, which shares no data with those before. One serves most checks; the caller closes all that were opened, afterwards. */
  open(): Promise<UploadSubject>;
}

/**
 * The checks that every store of records of uploads has to pass. They may run in any order and at the same time: each uses ids and accounts of its own.
 *
 * @example
 * const cases = await uploadContract({ open: async () => ({ storage: memoryStorage() }) });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run); // vitest; with node:test: { skip: c.skip }
 */
export async function uploadContract(options: UploadContractOptions): Promise<readonly ContractCase[]> {
  const stage = await UploadStage.open(options.open);
  return uploadScenarios.map(({ name, needs = {}, run }) => ({ name, skip: skipReason(needs, stage), run: () => run(stage) }));
}
