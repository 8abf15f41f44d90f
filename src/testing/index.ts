export { FakeClock } from "./clock.js";
export { type ContractCase, type StorageContractOptions, storageContract } from "./storageContract.js";
