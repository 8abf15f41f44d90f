import type { JobRecord } from "./jobRecord.js";
import type { QueuedRecords, QueuePlace } from "./queuedRecords.js";

/** Jobs by id, and open ones by queue: ready ones by type and tenant, held ones by tenant, and those that wait for their time. */
export type JobRecords = QueuedRecords<JobRecord>;

/** The group of the ready jobs of a type; each tenant has a queue. */
export function readyGroup(type: string): string {
  return `ready ${type}`;
}

/** The group of jobs whose lease has not been found to have ended; each tenant has a queue. */
export const heldGroup = "held";

/** The queue of jobs that nobody holds and that are not due, as far as was looked. */
export const laterPlace: QueuePlace = { group: "later", queue: "", isHeld: false };

export function jobPlace({ type, tenant = "", finishedMs, held, dueMs }: JobRecord): QueuePlace | undefined {
  if (finishedMs !== undefined) return undefined;
  if (dueMs === 0) return { group: readyGroup(type), queue: tenant, isHeld: false };
  return held ? { group: heldGroup, queue: tenant, isHeld: true } : laterPlace;
}
