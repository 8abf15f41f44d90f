import { type UploadContractOptions, uploadContract } from "restwright/testing";
import { testContract } from "./contractTests.js";

/** Runs the contract on a store; it may be let off for the reasons in `lacks` and no other. */
export async function testUploads(open: UploadContractOptions["open"], lacks: readonly string[] = []): Promise<void> {
  testContract(await uploadContract({ open }), lacks);
}
