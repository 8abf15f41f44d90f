import type { Storage } from "../../../ground/storage/storage.js";
import type { Principal } from "../../../parts/auth/verifier.js";
import type { Offer } from "../offers.js";

/** When a job of the developer's runs, and on whose behalf. */
export interface EnqueueOptions {
  /** When it may begin; at once if absent or past. */
  readonly at?: Date | undefined;
  /** While a job with this name, tenant and key waits or runs, no second one is created: the call answers the id of the first. From 1 to 200 characters. */
  readonly key?: string | undefined;
  /** The tenant that it belongs to; that of the principal or of the transaction if absent. */
  readonly tenant?: string | undefined;
  /** Whose rights it has, as they are when it runs. Without it, the job has those of the system. */
  readonly principal?: Principal | undefined;
}

/** A job that waits, or the one that has its key. */
export interface EnqueuedJob {
  readonly id: string;
}

/** Creates jobs of the developer's handlers. */
export interface Enqueuing {
  /**
   * Creates a job in a transaction of the service, with which it commits.
   *
   * @param tenant of the transaction
   */
  enqueueWithin(tx: Storage, tenant: string | undefined, name: string, input: unknown, options: EnqueueOptions | undefined): Promise<EnqueuedJob>;
}

/** What `jobs()` offers to transactions. */
export const enqueuing: Offer<Partial<Enqueuing>> = { name: "jobs" };
