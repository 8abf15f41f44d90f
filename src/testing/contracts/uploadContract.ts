import { callable, optionsCheck, strict } from "../../ground/options/index.js";
import { skipReason } from "../uploads/scenario.js";
import { uploadScenarios } from "../uploads/scenarios.js";
import { UploadStage, type UploadSubject } from "../uploads/stage.js";
import type { ContractCase } from "./storageContract.js";

export interface UploadContractOptions {
  /** Opens an empty store that shares no data with earlier ones. Most cases use one store; the caller closes all of them at the end. */
  open(): Promise<UploadSubject>;
}

const check = /* @__PURE__ */ optionsCheck("uploadContract", () => strict<UploadContractOptions>({ open: callable() }, ["open"]));

/**
 * The cases that every upload store must pass. They may run in any order and concurrently: each uses its own ids and accounts.
 *
 * @example
 * const cases = await uploadContract({ open: async () => ({ storage: memoryStorage() }) });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run); // vitest; with node:test: { skip: c.skip }
 */
export async function uploadContract(options: UploadContractOptions): Promise<readonly ContractCase[]> {
  check(options);
  const stage = await UploadStage.open(options.open);
  return uploadScenarios.map(({ name, needs = {}, run }) => ({ name, skip: skipReason(needs, stage), run: () => run(stage) }));
}
