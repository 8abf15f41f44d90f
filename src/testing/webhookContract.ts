import type { ContractCase } from "./storageContract.js";
import { webhookScenarios } from "./webhooks/scenarios.js";
import { skipReason, WebhookStage, type WebhookSubject } from "./webhooks/stage.js";

export interface WebhookContractOptions {
  /** An empty storage, which shares no data with those before. One serves all checks; the caller closes it afterwards. */
  open(): Promise<WebhookSubject>;
}

/**
 * The checks that the stores of webhooks and of their deliveries have to pass. They may run in any order; they wait for each other, for a claim takes
 * whatever is due.
 *
 * @example
 * const cases = await webhookContract({ open: async () => ({ storage: memoryStorage() }) });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run); // vitest; with node:test: { skip: c.skip }
 */
export async function webhookContract(options: WebhookContractOptions): Promise<readonly ContractCase[]> {
  const stage = new WebhookStage(await options.open());
  return webhookScenarios.map(({ name, needs = {}, run }) => ({ name, skip: skipReason(needs, stage), run: () => stage.alone(() => run(stage)) }));
}
