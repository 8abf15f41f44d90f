import { type SubscriberContractOptions, subscriberContract } from "restwright/testing";
import { testContract } from "./contractTests.js";

/** Runs the contract on a store; it may be let off for the reasons in `lacks` and no other. */
export async function testSubscribers(open: SubscriberContractOptions["open"], lacks: readonly string[] = []): Promise<void> {
  testContract(await subscriberContract({ open }), lacks);
}
