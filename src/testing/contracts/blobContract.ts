import { callable, optionsCheck, strict } from "../../ground/options/index.js";
import { skipReason } from "../blobs/scenario.js";
import { blobScenarios } from "../blobs/scenarios.js";
import { BlobStage, type BlobSubject } from "../blobs/stage.js";
import type { ContractCase } from "./storageContract.js";

export interface BlobContractOptions {
  /** Opens an empty store that shares no data with earlier ones. Most cases use one store; the caller closes all of them at the end. */
  open(): Promise<BlobSubject>;
}

const check = /* @__PURE__ */ optionsCheck("blobContract", () => strict<BlobContractOptions>({ open: callable() }, ["open"]));

/**
 * The cases that every blob store must pass. They may run in any order and concurrently: each uses its own keys.
 *
 * @example
 * const cases = await blobContract({ open: async () => ({ store: memoryBlobs() }) });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run); // vitest; with node:test: { skip: c.skip }
 */
export async function blobContract(options: BlobContractOptions): Promise<readonly ContractCase[]> {
  check(options);
  const stage = await BlobStage.open(options.open);
  return blobScenarios.map(({ name, needs = {}, run }) => ({ name, skip: skipReason(needs, stage), run: () => run(stage) }));
}
