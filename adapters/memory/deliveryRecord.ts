import type { Delivery, DeliveryState, DeliveryTrigger, LoggedAttempt } from "../../src/storage/deliveries.js";

/** What became of a delivery. Instants are milliseconds since the epoch. */
export interface DeliveryRecord {
  readonly id: string;
  /** The order in which deliveries came. */
  readonly number: number;
  readonly event: string;
  readonly type: string;
  readonly webhook: string;
  readonly tenant: string | undefined;
  readonly trigger: DeliveryTrigger;
  readonly state: DeliveryState;
  readonly attempts: readonly LoggedAttempt[];
  /** Of the last lease; 0 before the first. */
  readonly fence: number;
  /** When it may be claimed: the end of the lease where it is being sent. */
  readonly dueMs: number;
  readonly createdMs: number;
  /** When the last lease was given out. */
  readonly claimedMs: number;
  readonly endedMs: number | undefined;
}

export function isOpen({ state }: DeliveryRecord): boolean {
  return state === "pending" || state === "sending";
}

/** Whether a lease is out that is not over. */
export function isUnderWay({ state, dueMs }: DeliveryRecord, nowMs: number): boolean {
  return state === "sending" && dueMs > nowMs;
}

/** By due time, those of one instant in the order in which they came. */
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
  };
}
