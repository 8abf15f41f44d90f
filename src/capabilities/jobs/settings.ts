import type { Environment } from "../../engine/operation/environment.js";
import type { Offer } from "../../engine/operation/offers.js";
import type { JobStore } from "../../ground/storage/queue/jobs.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { ShownJobs } from "./kind.js";
import type { JobHandler } from "./run/handler.js";

/** The job settings that operations use. */
export interface JobSettings {
  readonly store: JobStore;
  /** Whether a principal may see and cancel all jobs of its tenant. */
  isAdmin(principal: Principal): boolean;
  /** Makes the worker of this process poll at once, and tells other processes, because a job can be claimed. Called after the commit. */
  wake(): void;
  /** Jobs of a tenant that may wait in the queue (20). */
  readonly maxQueuedPerTenant: number;
  /** Aborted when the service closes; event streams of jobs end then. */
  readonly closing: AbortSignal;
  /** The types of jobs that requests create: those alone count against `maxQueuedPerTenant`. */
  requestTypes(): readonly string[];
  /** Whether this process runs jobs, or leaves them to other processes on the same storage. */
  readonly works: boolean;
  /** The position in the current trace, which is stored with new jobs; `undefined` outside of a trace. */
  trace?(): string | undefined;
  /**
   * Whether one of these collections has a write-only field, so that what is stored for a job is sealed.
   *
   * @param collections `undefined` stands for all collections of the service
   * @param version the version of the API in which they were named
   */
  hasWriteOnly(collections: readonly string[] | undefined, version: string | undefined): boolean;
  /** Registers the handler of a job type. Called while the capabilities of the service are opened. */
  handle(handler: JobHandler): void;
  /** Shows jobs of a type at `/jobs`. Called while the capabilities of the service are opened. */
  show(type: string, shown: ShownJobs): void;
}

/** What the capability `jobs()` offers to others. */
const offered: Offer<JobSettings> = { name: "jobs" };

/** Returns the job settings of a service; `undefined` if it does not use `jobs()`. */
export function jobsOf({ offers }: Pick<Environment, "offers">): JobSettings | undefined {
  return offers.get(offered);
}
