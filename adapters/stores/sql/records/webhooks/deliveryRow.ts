import type { Delivery, DeliveryState, DeliveryTrigger, LoggedAttempt } from "../../../../../src/ground/storage/queue/deliveries.js";
import { toBytes } from "../../engine/bytes.js";
import type { SqlRow } from "../../engine/executor.js";
import { toDate, toNumber, toTenant, toText } from "../columns.js";

/** A delivery from a row of `select *`. */
export function toDelivery(row: SqlRow): Delivery {
  const isOpen = row["ended"] === null;
  return {
    id: String(row["id"]),
    webhook: String(row["webhook"]),
    tenant: toTenant(row["tenant"]),
    event: String(row["event"]),
    type: String(row["type"]),
    trigger: row["trigger"] as DeliveryTrigger,
    state: row["state"] as DeliveryState,
    attempts: Number(row["attempts"]),
    createdAt: new Date(Number(row["created"])),
    dueAt: isOpen ? new Date(Number(row["due"])) : undefined,
    endedAt: toDate(row["ended"]),
    lastAttemptAt: toDate(row["last"]),
    lastStatus: toNumber(row["status"]),
    lastErrorCode: toText(row["error"]),
    lastUrl: toText(row[row["state"] === "sending" ? "target" : "url"]),
    position: Number(row["number"]),
  };
}

export function toAttempt(row: SqlRow): LoggedAttempt {
  return {
    n: Number(row["n"]),
    trigger: row["trigger"] as DeliveryTrigger,
    startedAt: new Date(Number(row["started"])),
    latencyMs: Number(row["latency"]),
    status: toNumber(row["status"]),
    errorCode: toText(row["error"]),
    url: toText(row["url"]),
    body: toBytes(row["bytes"]),
    interrupted: Number(row["interrupted"]) === 1,
  };
}
