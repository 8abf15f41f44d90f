export { FakeClock } from "./clock.js";
export { type FaultOptions, ProcessDied } from "./fault/lifetime.js";
export { type FaultyStorage, faultyStorage } from "./faultyStorage.js";
export type { IdempotencySubject } from "./idempotency/stage.js";
export { type IdempotencyContractOptions, idempotencyContract } from "./idempotencyContract.js";
export { type JobContractOptions, jobContract } from "./jobContract.js";
export type { JobSubject } from "./jobs/stage.js";
export { type ContractCase, type StorageContractOptions, storageContract } from "./storageContract.js";
