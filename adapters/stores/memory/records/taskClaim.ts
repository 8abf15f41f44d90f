import type { ClaimedTask, SubscriberEvent, TaskClaim } from "../../../../src/ground/storage/queue/subscribers.js";
import type { Layer } from "../layer.js";
import { smallest } from "../rows/smallest.js";
import { byDue } from "./queuedRecords.js";
import { copyOfSubscriberEvent, type TaskRecord } from "./taskRecord.js";

/** Leases due tasks of a subscriber: one of each tenant in turn, beginning after the given one. */
export function claimTasks(layer: Layer, { name, max, leaseMs, after, claimId }: TaskClaim): readonly ClaimedTask[] {
  const { tasks, taskEvents } = layer.records;
  const nowMs = tasks.clock.now();
  // All tasks of an event share one copy: its body may be large.
  const copies = new Map<string, SubscriberEvent>();
  return chooseTasks(layer, name, Math.floor(max), after, nowMs).flatMap((record) => {
    const kept = taskEvents.get(record.event);
    if (kept === undefined) return [];
    const event = copies.get(record.event) ?? copyOfSubscriberEvent(kept.event);
    copies.set(record.event, event);
    const isInterrupted = record.state === "running" ? 1 : 0;
    const [attempts, interrupted, fence] = [record.attempts + isInterrupted, record.interrupted + isInterrupted, record.fence + 1];
    tasks.put(record.id, { ...record, state: "running", attempts, interrupted, fence, claimId, dueMs: nowMs + leaseMs });
    return [{ lease: { id: record.id, fence }, name, attempt: attempts + 1, interrupted, event }];
  });
}

/** Milliseconds until a task of one of the subscribers is due. */
export function taskDueInMs({ records: { tasks } }: Layer, names: readonly string[]): number | undefined {
  let firstMs: number | undefined;
  for (const group of names) {
    for (const queue of tasks.queues(group)) {
      for (const isHeld of [false, true]) {
        const [first] = tasks.open({ group, queue, isHeld });
        if (first !== undefined && (firstMs === undefined || first.dueMs < firstMs)) firstMs = first.dueMs;
      }
    }
  }
  return firstMs === undefined ? undefined : Math.max(0, firstMs - tasks.clock.now());
}

function chooseTasks(layer: Layer, name: string, max: number, after: TaskClaim["after"], nowMs: number): readonly TaskRecord[] {
  if (max < 1) return [];
  const due = [...layer.records.tasks.queues(name)].filter((tenant) => firstDue(layer, name, tenant, 1, nowMs).length > 0);
  // Tenants after the given one come first, then the walk begins again.
  const lapOf = (tenant: string) => (after === undefined || tenant > (after.tenant ?? "") ? 0 : 1);
  const tenants = smallest(due, (left, right) => lapOf(left) - lapOf(right) || (left < right ? -1 : 1), max);
  // Every tenant gives at least one, which leaves so many for each of them.
  const share = max - tenants.length + 1;
  const candidates = tenants.flatMap((tenant) => firstDue(layer, name, tenant, share, nowMs).map((record, round) => ({ record, round })));
  // Tasks of one round stay in the order of their tenants.
  const inRounds = candidates.sort((left, right) => left.round - right.round);
  return inRounds.slice(0, max).map(({ record }) => record);
}

/** The first due tasks of a tenant, those whose lease has ended included. */
function firstDue({ records: { tasks } }: Layer, group: string, queue: string, count: number, nowMs: number): readonly TaskRecord[] {
  const found: TaskRecord[] = [];
  for (const isHeld of [false, true]) {
    let taken = 0;
    for (const record of tasks.open({ group, queue, isHeld })) {
      if (taken >= count || record.dueMs > nowMs) break;
      found.push(record);
      taken += 1;
    }
  }
  return found.sort(byDue).slice(0, count);
}
