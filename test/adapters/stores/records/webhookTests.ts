import { type WebhookContractOptions, webhookContract } from "restwright/testing";
import { testContract } from "./contractTests.js";

/** Runs the contract on a store; it may be let off for the reasons in `lacks` and no other. */
export async function testWebhooks(open: WebhookContractOptions["open"], lacks: readonly string[] = []): Promise<void> {
  testContract(await webhookContract({ open }), lacks);
}
