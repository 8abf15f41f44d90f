// @long

import {
  type ContractCase,
  FakeClock,
  idempotencyContract,
  jobContract,
  storageContract,
  subscriberContract,
  uploadContract,
  webhookContract,
} from "restwright/testing";
import { describe } from "vitest";
import { interleavedStorage } from "../../../../adapters/stores/memory/interleaving/interleavedStorage.js";
import { testContract } from "../records/contractTests.js";

const open = async () => {
  const clock = new FakeClock();
  return { storage: interleavedStorage({ seed: 1, clock }).storage, advance: (ms: number) => clock.advance(ms) };
};
const contracts: Readonly<Record<string, () => Promise<readonly ContractCase[]>>> = {
  rows: () => storageContract({ open: async () => (await open()).storage }),
  idempotency: () => idempotencyContract({ open }),
  jobs: () => jobContract({ open }),
  webhooks: () => webhookContract({ open }),
  subscribers: () => subscriberContract({ open }),
  uploads: () => uploadContract({ open }),
};
const lacks: Readonly<Record<string, readonly string[]>> = {
  rows: ["the options have no reopen()"],
  idempotency: ["memory ends no operation with an insert"],
};

for (const [name, cases] of Object.entries(contracts)) {
  describe(`${name} in the interleaving store`, async () => testContract(await cases(), lacks[name] ?? []));
}
