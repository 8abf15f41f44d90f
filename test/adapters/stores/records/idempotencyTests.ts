import { type IdempotencyContractOptions, idempotencyContract } from "restwright/testing";
import { testContract } from "./contractTests.js";

/** Runs the contract on a store; it may be let off for the reasons in `lacks` and no other. */
export async function testIdempotency(open: IdempotencyContractOptions["open"], lacks: readonly string[] = []): Promise<void> {
  testContract(await idempotencyContract({ open }), lacks);
}
