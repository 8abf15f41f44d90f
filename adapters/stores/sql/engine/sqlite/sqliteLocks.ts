import type { Locks } from "../locks.js";

/** Transactions that write run one after the other, so that nothing else needs a lock. */
export const sqliteLocks: Locks = {
  update: "",
  share: "",
  skipLocked: "",
  shareOf: () => "",
  conflicting: () => "nothing",
  claim: () => ({ from: "", values: [] }),
};
