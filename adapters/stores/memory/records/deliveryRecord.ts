import type { Delivery, DeliveryState, DeliveryTrigger, LoggedAttempt } from "../../../../src/ground/storage/queue/deliveries.js";
import type { LeasedRecord } from "./leasedRecords.js";

/** A stored delivery. Times are milliseconds since the epoch. */
export interface DeliveryRecord extends LeasedRecord {
  readonly event: string;
  readonly type: string;
  readonly webhook: string;
  readonly tenant: string | undefined;
  readonly trigger: DeliveryTrigger;
  readonly state: DeliveryState;
  readonly attempts: readonly LoggedAttempt[];
  readonly createdMs: number;
  /** When the last lease began. */
  readonly claimedMs: number;
  /** The URL of the last lease. */
  readonly target: string | undefined;
  readonly endedMs: number | undefined;
}

export function isOpen({ state }: DeliveryRecord): boolean {
  return state === "pending" || state === "sending";
}

/** Whether a live lease holds the delivery. */
export function isInFlight({ state, dueMs }: DeliveryRecord, nowMs: number): boolean {
  return state === "sending" && dueMs > nowMs;
}

export function deliveryOf(record: DeliveryRecord): Delivery {
  const { id, webhook, tenant, event, type, trigger, state, attempts, number, endedMs } = record;
  const last = attempts.at(-1);
  return {
    ...{ id, webhook, tenant, event, type, trigger, state, attempts: attempts.length, position: number },
    createdAt: new Date(record.createdMs),
    dueAt: isOpen(record) ? new Date(record.dueMs) : undefined,
    endedAt: endedMs === undefined ? undefined : new Date(endedMs),
    lastAttemptAt: last?.startedAt,
    lastStatus: last?.status,
    lastErrorCode: last?.errorCode,
    lastUrl: state === "sending" ? record.target : last?.url,
  };
}
