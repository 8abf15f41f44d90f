import { callable, optionsCheck, strict } from "../../ground/options/index.js";
import { webhookScenarios } from "../webhooks/scenarios.js";
import { skipReason, WebhookStage, type WebhookSubject } from "../webhooks/stage.js";
import type { ContractCase } from "./storageContract.js";

export interface WebhookContractOptions {
  /** Opens an empty storage that shares no data with earlier ones. All cases use one storage; the caller closes it at the end. */
  open(): Promise<WebhookSubject>;
}

const check = /* @__PURE__ */ optionsCheck("webhookContract", () => strict<WebhookContractOptions>({ open: callable() }, ["open"]));

/**
 * The cases that the stores of webhooks and deliveries must pass. They may run in any order. They wait for each other, because a claim takes every due
 * delivery.
 *
 * @example
 * const cases = await webhookContract({ open: async () => ({ storage: memoryStorage() }) });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run); // vitest; with node:test: { skip: c.skip }
 */
export async function webhookContract(options: WebhookContractOptions): Promise<readonly ContractCase[]> {
  check(options);
  const stage = new WebhookStage(await options.open());
  return webhookScenarios.map(({ name, needs = {}, run }) => ({ name, skip: skipReason(needs, stage), run: () => stage.alone(() => run(stage)) }));
}
