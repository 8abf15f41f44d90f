import type { Delivery, DeliveryState, DeliveryTrigger, LoggedAttempt } from "../../../src/storage/deliveries.js";

/** A stored delivery. Times are milliseconds since the epoch. */
export interface DeliveryRecord {
  readonly id: string;
  /** The order of creation. */
  readonly number: number;
  readonly event: string;
  readonly type: string;
  readonly webhook: string;
  readonly tenant: string | undefined;
  readonly trigger: DeliveryTrigger;
  readonly state: DeliveryState;
  readonly attempts: readonly LoggedAttempt[];
  /** The fence of the last lease; 0 before the first. */
  readonly fence: number;
  /** When it can be claimed; while it is being sent, the end of the lease. */
  readonly dueMs: number;
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

/** Orders by due time, then by creation. */
export function byDue(left: DeliveryRecord, right: DeliveryRecord): number {
  return left.dueMs - right.dueMs || left.number - right.number;
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
