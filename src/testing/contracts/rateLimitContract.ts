import { callable, optionsCheck, strict } from "../../ground/options/index.js";
import { rateLimitScenarios } from "../rateLimits/scenarios.js";
import { RateLimitStage, type RateLimitSubject } from "../rateLimits/stage.js";
import type { ContractCase } from "./storageContract.js";

export interface RateLimitContractOptions {
  /** Opens a store. All cases use one store; the caller closes it at the end. */
  open(): Promise<RateLimitSubject>;
}

const check = /* @__PURE__ */ optionsCheck("rateLimitContract", () => strict<RateLimitContractOptions>({ open: callable() }, ["open"]));

/**
 * The cases that every store of rate limits must pass. They may run in any order and concurrently: each uses its own keys.
 *
 * @example
 * const cases = await rateLimitContract({ open: async () => ({ store: redisRateLimits(redis) }) });
 * for (const c of cases) test(c.name, c.run);
 */
export async function rateLimitContract(options: RateLimitContractOptions): Promise<readonly ContractCase[]> {
  check(options);
  const stage = await RateLimitStage.open(options.open);
  return rateLimitScenarios.map(({ name, run }) => ({ name, run: () => run(stage) }));
}
