import { yieldToEventLoop } from "../../../../src/ground/http/yieldToEventLoop.js";
import {
  endedTaskStates,
  type NewSubscriberEvent,
  type NewTask,
  type SubscriberStore,
  type TaskLease,
  type TaskOutcome,
} from "../../../../src/ground/storage/queue/subscribers.js";
import { type Layer, queueWrite } from "../layer.js";
import { countWaiting, releaseClaim, whileHeld } from "./leasedRecords.js";
import { tenantOf } from "./records.js";
import * as registry from "./subscriberRegistry.js";
import { claimTasks, taskDueInMs } from "./taskClaim.js";
import { countTasks, listTasks } from "./taskLog.js";
import { copyOfSubscriberEvent, type TaskRecord, taskOf } from "./taskRecord.js";

/** Tasks that are canceled in one step. */
const canceledAtOnce = 500;

/** The subscribers of one layer. Each method but `list` and those that retire subscribers is one synchronous step; methods that write wait for an open transaction. */
export function subscribersOver(layer: Layer): SubscriberStore {
  const write = <R>(section: (layer: Layer) => R): Promise<R> => queueWrite(layer, () => section(layer));
  const change = (lease: TaskLease, changed: (task: TaskRecord, nowMs: number) => TaskRecord) =>
    write(({ records: { tasks } }) => whileHeld(tasks, ({ state }) => state === "running", lease, changed));
  return {
    register: (subscribers) => write(() => registry.registerSubscribers(layer, subscribers)),
    touch: (names) => write(() => registry.touchSubscribers(layer, names)),
    async retire(unusedMs) {
      const names = await write(() => registry.retireSubscribers(layer, unusedMs));
      await cancelAll(layer, names);
      return names.filter((name) => !registry.isEphemeral(layer.records.subscribers.get(name)));
    },
    registerEphemeral: (subscribers, lifeMs) => write(() => registry.registerEphemeral(layer, subscribers, lifeMs)),
    async unregisterEphemeral(names) {
      await cancelAll(layer, await write(() => registry.unregisterEphemeral(layer, names)));
    },
    active: async (known) => registry.activeSubscribers(layer, known),
    subscribers: async () => registry.allSubscribers(layer),
    enqueue: (events) => write(() => events.reduce((made, event) => made + enqueue(layer, event), 0)),
    claim: (request) => write(() => claimTasks(layer, request)),
    unclaim: (name, claimId) => write(({ records: { tasks } }) => releaseClaim(tasks, name, claimId, (task, nowMs) => waiting(task, nowMs))),
    record: (lease, outcome) => change(lease, (task, nowMs) => recorded(task, outcome, nowMs)),
    release: (lease, delayMs) => change(lease, (task, nowMs) => waiting(task, nowMs + delayMs)),
    dueInMs: async (names) => taskDueInMs(layer, names),
    depth: async (max) => depthOf(layer, max),
    async get(id) {
      const found = layer.records.tasks.get(id);
      return found && taskOf(found);
    },
    async event(id) {
      const task = layer.records.tasks.get(id);
      const kept = task && layer.records.taskEvents.get(task.event);
      return kept && copyOfSubscriberEvent(kept.event);
    },
    list: (query) => listTasks(layer, query),
    counts: async (name) => countTasks(layer, name),
    replay: (ids) => write(() => new Set(ids.filter((id) => replay(layer, id))).size),
    sweep: (keepMs, max) => write(() => sweepTasks(layer, keepMs, max)),
  };
}

/** Cancels the open tasks of retired subscribers in steps. */
async function cancelAll(layer: Layer, names: readonly string[]): Promise<void> {
  for (const name of names) {
    // In reverse order: removing the end of a queue is cheap.
    const open = [...registry.cancelable(layer, name, Number.POSITIVE_INFINITY)].reverse();
    for (let from = 0; from < open.length; from += canceledAtOnce) {
      await queueWrite(layer, () => registry.cancelTasks(layer, registry.isActive(layer, name) ? [] : open.slice(from, from + canceledAtOnce)));
      await yieldToEventLoop();
    }
  }
}

function enqueue(layer: Layer, event: NewSubscriberEvent): number {
  const { taskEvents } = layer.records;
  const made = event.tasks.filter((task) => registry.isActive(layer, task.name) && add(layer, event, task)).length;
  const kept = taskEvents.get(event.id);
  if (made > 0) taskEvents.put(event.id, { event: kept?.event ?? copyOfSubscriberEvent(event), tasks: (kept?.tasks ?? 0) + made });
  return made;
}

/** Adds a task that is due now. @returns whether its id is new */
function add({ records: { tasks } }: Layer, event: NewSubscriberEvent, { id, name }: NewTask): boolean {
  if (tasks.get(id) !== undefined) return false;
  const nowMs = tasks.clock.now();
  tasks.put(id, {
    ...{ id, number: tasks.nextNumber(), name, event: event.id, type: event.type, tenant: tenantOf(event.tenant), state: "pending" },
    ...{ attempts: 0, interrupted: 0, fence: 0, claimId: undefined, dueMs: nowMs, createdMs: nowMs, endedMs: undefined, error: undefined },
  });
  return true;
}

function waiting(task: TaskRecord, dueMs: number): TaskRecord {
  return { ...task, state: "pending", dueMs };
}

function recorded(held: TaskRecord, outcome: TaskOutcome, nowMs: number): TaskRecord {
  const after = { ...held, attempts: held.attempts + 1, state: outcome.state };
  if (outcome.state === "succeeded") return { ...after, endedMs: nowMs };
  const error = outcome.error.replaceAll("\0", "");
  return outcome.state === "dead" ? { ...after, error, endedMs: nowMs } : { ...after, error, dueMs: nowMs + outcome.delayMs };
}

function replay(layer: Layer, id: string): boolean {
  const { tasks } = layer.records;
  const ended = tasks.get(id);
  if (ended?.endedMs === undefined || !registry.isActive(layer, ended.name)) return false;
  const again = { attempts: 0, interrupted: 0, error: undefined, endedMs: undefined, dueMs: tasks.clock.now() };
  tasks.put(id, { ...ended, ...again, state: "pending" });
  return true;
}

function depthOf({ records: { subscribers, tasks } }: Layer, max: number): number {
  let depth = 0;
  for (const [name] of subscribers.entries()) depth += countWaiting(tasks, name, max - depth);
  return depth;
}

/** Removes tasks that ended more than `keepMs` ago, and events without tasks; cancels tasks of retired subscribers. @returns how many tasks it removed */
function sweepTasks(layer: Layer, keepMs: number, max: number): number {
  const { subscribers, tasks, taskEvents } = layer.records;
  for (const [name] of subscribers.entries()) registry.cancelTasks(layer, registry.cancelable(layer, name, max));
  const over = overTasks(layer, keepMs, max);
  for (const { id, event } of over) {
    tasks.delete(id);
    const kept = taskEvents.get(event);
    if (kept === undefined) continue;
    if (kept.tasks > 1) taskEvents.put(event, { ...kept, tasks: kept.tasks - 1 });
    else taskEvents.delete(event);
  }
  registry.removeEphemeral(layer);
  return over.length;
}

/** Tasks that ended more than `keepMs` ago, and those of ephemeral subscribers that ended; at most `max`. */
function overTasks({ records: { subscribers, tasks } }: Layer, keepMs: number, max: number): readonly TaskRecord[] {
  const over = new Set<TaskRecord>();
  const take = (some: Iterable<TaskRecord>) => {
    for (const task of some) {
      if (over.size >= max) break;
      over.add(task);
    }
  };
  take(tasks.ended(tasks.clock.now() - keepMs));
  for (const [name, known] of subscribers.entries()) {
    if (registry.isEphemeral(known)) for (const state of endedTaskStates) take(tasks.newest({ name, state }, Number.POSITIVE_INFINITY));
  }
  return [...over];
}
