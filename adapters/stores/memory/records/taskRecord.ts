import type { KnownSubscriber, SubscriberEvent, Task, TaskState } from "../../../../src/ground/storage/queue/subscribers.js";
import type { LeasedRecord } from "./leasedRecords.js";
import type { QueuePlace } from "./queuedRecords.js";
import { tenantOf } from "./records.js";

/** A stored task. Times are milliseconds since the epoch. */
export interface TaskRecord extends LeasedRecord {
  readonly name: string;
  /** The id of the event. */
  readonly event: string;
  readonly type: string;
  readonly tenant: string | undefined;
  readonly state: TaskState;
  readonly attempts: number;
  readonly interrupted: number;
  readonly createdMs: number;
  readonly endedMs: number | undefined;
  readonly error: string | undefined;
}

/** A stored subscriber. */
export interface SubscriberRecord extends KnownSubscriber {
  /** When an ephemeral one is retired. */
  readonly untilMs?: number | undefined;
}

/** A stored event, and how many tasks it has. */
export interface EventRecord {
  readonly event: SubscriberEvent;
  readonly tasks: number;
}

/** Open tasks are grouped by subscriber, with a queue for each tenant. */
export function taskPlace({ name, tenant = "", endedMs, state }: TaskRecord): QueuePlace | undefined {
  return endedMs === undefined ? { group: name, queue: tenant, isHeld: state === "running" } : undefined;
}

export function taskOf(record: TaskRecord): Task {
  const { id, name, event, type, tenant, state, attempts, number, dueMs, createdMs, endedMs, error } = record;
  return {
    ...{ id, name, event, type, tenant, state, attempts, lastError: error, position: number },
    createdAt: new Date(createdMs),
    dueAt: endedMs === undefined ? new Date(dueMs) : undefined,
    endedAt: endedMs === undefined ? undefined : new Date(endedMs),
  };
}

export function copyOfSubscriberEvent({ id, type, tenant, createdAt, body, trace }: SubscriberEvent): SubscriberEvent {
  const copy = { id, type, tenant: tenantOf(tenant), createdAt, body: new Uint8Array(body) };
  return { ...copy, ...(trace !== undefined && { trace }) };
}

export function copyOfSubscriber({ name, patterns, lastSeenAt, retiredAt }: KnownSubscriber): KnownSubscriber {
  return { name, patterns: [...patterns], lastSeenAt, retiredAt };
}
