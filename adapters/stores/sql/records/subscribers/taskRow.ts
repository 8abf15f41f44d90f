import type { KnownSubscriber, Task, TaskState } from "../../../../../src/ground/storage/queue/subscribers.js";
import type { SqlRow } from "../../engine/executor.js";
import { toDate, toTenant, toText } from "../columns.js";

/** A task from a row of `select *`. */
export function toTask(row: SqlRow): Task {
  return {
    id: String(row["id"]),
    name: String(row["name"]),
    event: String(row["event"]),
    type: String(row["type"]),
    tenant: toTenant(row["tenant"]),
    state: row["state"] as TaskState,
    attempts: Number(row["attempts"]),
    createdAt: new Date(Number(row["created"])),
    dueAt: row["ended"] === null ? new Date(Number(row["due"])) : undefined,
    endedAt: toDate(row["ended"]),
    lastError: toText(row["error"]),
    position: Number(row["number"]),
  };
}

/** A subscriber from a row of `select *`. */
export function toSubscriber(row: SqlRow): KnownSubscriber {
  return {
    name: String(row["name"]),
    patterns: JSON.parse(String(row["patterns"])) as readonly string[],
    lastSeenAt: new Date(Number(row["seen"])),
    retiredAt: toDate(row["retired"]),
  };
}
