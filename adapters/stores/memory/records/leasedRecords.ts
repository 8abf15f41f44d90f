import type { QueuedRecord, QueuedRecords } from "./queuedRecords.js";
import type { Records } from "./records.js";

/** A record that a worker has under a lease while it works on it. */
export interface LeasedRecord extends QueuedRecord {
  /** The fence of the last lease; 0 before the first. */
  readonly fence: number;
  /** The id of the claim that made the last lease. */
  readonly claimId: string | undefined;
}

interface Lease {
  readonly id: string;
  readonly fence: number;
}

/**
 * The record, if the lease is its current one and it has not ended.
 *
 * @param isHeld whether a record is under a lease, which may have expired
 */
export function heldBy<R extends LeasedRecord>(records: Records<R>, isHeld: (record: R) => boolean, { id, fence }: Lease): R | undefined {
  const record = records.get(id);
  return record !== undefined && isHeld(record) && record.fence === fence ? record : undefined;
}

/**
 * Changes a record if the lease is its current one and it has not ended.
 *
 * @param changed its new state; `undefined` to remove it
 * @returns whether it did
 */
export function whileHeld<R extends LeasedRecord>(
  records: Records<R>,
  isHeld: (record: R) => boolean,
  lease: Lease,
  changed: (record: R, nowMs: number) => R | undefined,
): boolean {
  const held = heldBy(records, isHeld, lease);
  const after = held && changed(held, records.clock.now());
  if (after !== undefined) records.put(lease.id, after);
  else if (held !== undefined) records.delete(lease.id);
  return held !== undefined;
}

/** Releases what a claim has leased, in all queues of a group. @returns how many */
export function releaseClaim<R extends LeasedRecord>(
  records: QueuedRecords<R>,
  group: string,
  claimId: string,
  released: (record: R, nowMs: number) => R,
): number {
  const held = [...records.queues(group)].flatMap((queue) => [...records.open({ group, queue, isHeld: true })]);
  const theirs = held.filter((record) => record.claimId === claimId);
  for (const record of theirs) records.put(record.id, released(record, records.clock.now()));
  return theirs.length;
}

/** Counts open records of a group without a lease, at most `max`. */
export function countWaiting<R extends LeasedRecord>(records: QueuedRecords<R>, group: string, max: number): number {
  let count = 0;
  for (const queue of records.queues(group)) {
    for (const _waiting of records.open({ group, queue, isHeld: false })) {
      if (count === max) return count;
      count += 1;
    }
  }
  return count;
}

/** Removes records that ended more than `keepMs` ago, at most `max`, the first ones first. @returns how many */
export function removeEnded<R>(records: Records<R>, endOf: (record: R) => number | undefined, keepMs: number, max: number): number {
  const beforeMs = records.clock.now() - keepMs;
  const all = [...records.entries()].map(([id, record]) => ({ id, endMs: endOf(record) ?? Number.POSITIVE_INFINITY }));
  const over = all.filter(({ endMs }) => endMs < beforeMs).sort((left, right) => left.endMs - right.endMs);
  const removed = over.slice(0, max);
  for (const { id } of removed) records.delete(id);
  return removed.length;
}
