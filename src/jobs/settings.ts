import type { Principal } from "../auth/verifier.js";
import type { JobStore } from "../storage/jobs.js";

/** What operations know of jobs. */
export interface JobSettings {
  readonly store: JobStore;
  /** Whether a principal may see and cancel all jobs of its tenant. */
  isAdmin(principal: Principal): boolean;
  /** A job was created in this process: its worker need not wait for the next poll. */
  wake(): void;
  /** Jobs of a tenant that may wait to be begun (20). */
  readonly maxQueuedPerTenant: number;
  /** Ends when the service closes: answers that tell of jobs end with it. */
  readonly closing: AbortSignal;
}
