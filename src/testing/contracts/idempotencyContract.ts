import { callable, optionsCheck, strict } from "../../ground/options/index.js";
import { skipReason } from "../idempotency/scenario.js";
import { idempotencyScenarios } from "../idempotency/scenarios.js";
import { IdempotencyStage, type IdempotencySubject } from "../idempotency/stage.js";
import type { ContractCase } from "./storageContract.js";

export interface IdempotencyContractOptions {
  /** Opens an empty store. Most cases use one store; the caller closes all of them at the end. */
  open(): Promise<IdempotencySubject>;
}

const check = /* @__PURE__ */ optionsCheck("idempotencyContract", () => strict<IdempotencyContractOptions>({ open: callable() }, ["open"]));

/**
 * The cases that every idempotency store must pass. They may run in any order and concurrently: each uses its own ids.
 *
 * @example
 * const cases = await idempotencyContract({ open: async () => ({ storage: memoryStorage() }) });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run); // vitest; with node:test: { skip: c.skip }
 */
export async function idempotencyContract(options: IdempotencyContractOptions): Promise<readonly ContractCase[]> {
  check(options);
  const stage = await IdempotencyStage.open(options.open);
  return idempotencyScenarios.map(({ name, needs = {}, run }) => ({ name, skip: skipReason(needs, stage), run: () => run(stage) }));
}
