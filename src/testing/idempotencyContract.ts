import { skipReason } from "./idempotency/scenario.js";
import { idempotencyScenarios } from "./idempotency/scenarios.js";
import { IdempotencyStage, type IdempotencySubject } from "./idempotency/stage.js";
import type { ContractCase } from "./storageContract.js";

export interface IdempotencyContractOptions {
  /** An empty store. One serves nearly all checks; the caller closes all that were opened, afterwards. */
  open(): Promise<IdempotencySubject>;
}

/**
 * The checks that every store of idempotency records has to pass. They may run in any order and at the same time: each uses ids of its own.
 *
 * @example
 * const cases = await idempotencyContract({ open: async () => ({ storage: memoryStorage() }) });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run); // vitest; with node:test: { skip: c.skip }
 */
export async function idempotencyContract(options: IdempotencyContractOptions): Promise<readonly ContractCase[]> {
  const stage = await IdempotencyStage.open(options.open);
  return idempotencyScenarios.map(({ name, needs = {}, run }) => ({ name, skip: skipReason(needs, stage), run: () => run(stage) }));
}
