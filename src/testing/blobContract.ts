import { skipReason } from "./blobs/scenario.js";
import { blobScenarios } from "./blobs/scenarios.js";
import { BlobStage, type BlobSubject } from "./blobs/stage.js";
import type { ContractCase } from "./storageContract.js";

export interface BlobContractOptions {
  /** An empty store, which shares no data with those before. One serves nearly all checks; the caller closes all that were opened, afterwards. */
  open(): Promise<BlobSubject>;
}

/**
 * The checks that every store of blobs has to pass. They may run in any order and at the same time: each uses keys of its own.
 *
 * @example
 * const cases = await blobContract({ open: async () => ({ store: memoryBlobs() }) });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run); // vitest; with node:test: { skip: c.skip }
 */
export async function blobContract(options: BlobContractOptions): Promise<readonly ContractCase[]> {
  const stage = await BlobStage.open(options.open);
  return blobScenarios.map(({ name, needs = {}, run }) => ({ name, skip: skipReason(needs, stage), run: () => run(stage) }));
}
