import { callable, optionsCheck, strict } from "../../ground/options/index.js";
import { subscriberScenarios } from "../subscribers/scenarios.js";
import { SubscriberStage, type SubscriberSubject, skipReason } from "../subscribers/stage.js";
import type { ContractCase } from "./storageContract.js";

export interface SubscriberContractOptions {
  /** Opens an empty storage that shares no data with earlier ones. All cases use one storage; the caller closes it at the end. */
  open(): Promise<SubscriberSubject>;
}

const check = /* @__PURE__ */ optionsCheck("subscriberContract", () => strict<SubscriberContractOptions>({ open: callable() }, ["open"]));

/**
 * The cases that the store of subscribers of a storage must pass. They may run in any order. They wait for each other, because retiring and sweeping concern all
 * subscribers.
 *
 * @example
 * const cases = await subscriberContract({ open: async () => ({ storage: memoryStorage() }) });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run); // vitest; with node:test: { skip: c.skip }
 */
export async function subscriberContract(options: SubscriberContractOptions): Promise<readonly ContractCase[]> {
  check(options);
  const stage = new SubscriberStage(await options.open());
  return subscriberScenarios.map(({ name, needs = {}, run }) => ({ name, skip: skipReason(needs, stage), run: () => stage.alone(() => run(stage)) }));
}
