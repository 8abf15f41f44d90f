import { randomUUID } from "node:crypto";
import {
  type ActiveSubscribers,
  type KnownSubscriber,
  type RegisteredSubscriber,
  taskStates,
} from "../../../../src/ground/storage/queue/subscribers.js";
import type { Layer } from "../layer.js";
import { copyOfSubscriber, type SubscriberRecord, type TaskRecord } from "./taskRecord.js";

/** The key of the only generation. */
const generationKey = "";

export function registerSubscribers(layer: Layer, given: readonly RegisteredSubscriber[]): void {
  for (const { name, patterns } of given) putSubscriber(layer, { ...seenNow(layer, name), patterns: [...patterns] });
}

/** @returns the names that were not active before */
export function registerEphemeral(layer: Layer, given: readonly RegisteredSubscriber[], lifeMs: number): readonly string[] {
  const untilMs = layer.records.subscribers.clock.now() + lifeMs;
  const others = given.filter(({ name }) => !isActive(layer, name)).map(({ name }) => name);
  for (const { name, patterns } of given) putSubscriber(layer, { ...seenNow(layer, name), patterns: [...patterns], untilMs });
  return others;
}

/** Retires those of the subscribers that are ephemeral. @returns their names */
export function unregisterEphemeral(layer: Layer, names: readonly string[]): readonly string[] {
  const { subscribers } = layer.records;
  const ephemeral = names.filter((name) => isEphemeral(subscribers.get(name)) && isActive(layer, name));
  for (const name of ephemeral) retire(layer, name);
  return ephemeral;
}

export function isEphemeral(subscriber: SubscriberRecord | undefined): boolean {
  return subscriber?.untilMs !== undefined;
}

/** Removes ephemeral subscribers that are retired and have no tasks any more. */
export function removeEphemeral({ records: { subscribers, tasks } }: Layer): void {
  const over = [...subscribers.entries()].filter(([, known]) => isEphemeral(known) && known.retiredAt !== undefined);
  for (const [name] of over) if (taskStates.every((state) => tasks.count({ name, state }) === 0)) subscribers.delete(name);
}

export function touchSubscribers(layer: Layer, names: readonly string[]): void {
  for (const name of names) {
    const known = layer.records.subscribers.get(name);
    if (known !== undefined) putSubscriber(layer, { ...known, ...seenNow(layer, name) });
  }
}

/** Retires subscribers that no process has had for so long. @returns their names */
export function retireSubscribers(layer: Layer, unusedMs: number): readonly string[] {
  const nowMs = layer.records.subscribers.clock.now();
  const unused = [...layer.records.subscribers.entries()].filter(
    ([, { retiredAt, lastSeenAt, untilMs = lastSeenAt.getTime() + unusedMs }]) => retiredAt === undefined && untilMs <= nowMs,
  );
  for (const [name] of unused) retire(layer, name);
  return unused.map(([name]) => name).sort();
}

function retire(layer: Layer, name: string): void {
  const known = layer.records.subscribers.get(name);
  if (known !== undefined) putSubscriber(layer, { ...known, retiredAt: new Date(layer.records.subscribers.clock.now()) });
}

/** Whether events get tasks for the subscriber. */
export function isActive({ records: { subscribers } }: Layer, name: string): boolean {
  const known = subscribers.get(name);
  return known !== undefined && known.retiredAt === undefined;
}

/** The active subscribers, unless nothing changed since the known generation. */
export function activeSubscribers(layer: Layer, known: string | undefined): ActiveSubscribers | undefined {
  const generation = layer.records.subscriberGenerations.get(generationKey) ?? "";
  if (generation === known) return undefined;
  const active = allSubscribers(layer).filter(({ retiredAt }) => retiredAt === undefined);
  return { generation, subscribers: active.map(({ name, patterns }) => ({ name, patterns })) };
}

/** All subscribers, by name. */
export function allSubscribers({ records: { subscribers } }: Layer): readonly KnownSubscriber[] {
  const all = [...subscribers.entries()].map(([, known]) => copyOfSubscriber(known));
  return all.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** Open tasks of a retired subscriber that no process holds, at most `max`. */
export function cancelable(layer: Layer, name: string, max: number): readonly TaskRecord[] {
  const { tasks } = layer.records;
  if (isActive(layer, name)) return [];
  const nowMs = tasks.clock.now();
  const found: TaskRecord[] = [];
  for (const queue of tasks.queues(name)) {
    for (const isHeld of [false, true]) {
      for (const record of tasks.open({ group: name, queue, isHeld })) {
        if (found.length >= max || (isHeld && record.dueMs > nowMs)) break;
        found.push(record);
      }
    }
  }
  return found;
}

/** Cancels those of the tasks that are still as they were. */
export function cancelTasks({ records: { tasks } }: Layer, records: readonly TaskRecord[]): void {
  for (const record of records)
    if (tasks.get(record.id) === record) tasks.put(record.id, { ...record, state: "canceled", endedMs: tasks.clock.now() });
}

function seenNow({ records: { subscribers } }: Layer, name: string) {
  return { name, lastSeenAt: new Date(subscribers.clock.now()), retiredAt: undefined };
}

/** Stores a subscriber. The list of active ones gets a new generation only if it changes. */
function putSubscriber(layer: Layer, subscriber: SubscriberRecord): void {
  const before = layer.records.subscribers.get(subscriber.name);
  layer.records.subscribers.put(subscriber.name, subscriber);
  const isSame =
    before !== undefined &&
    (before.retiredAt === undefined) === (subscriber.retiredAt === undefined) &&
    JSON.stringify(before.patterns) === JSON.stringify(subscriber.patterns);
  // Random: a counter would repeat a value after a rollback.
  if (!isSame) layer.records.subscriberGenerations.put(generationKey, randomUUID());
}
