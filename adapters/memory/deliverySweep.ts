import { cancelPending } from "./deliveryState.js";
import type { Layer } from "./layer.js";

/** Removes what ended longer ago, first what ended first, and the events that nothing is left of. @returns how many deliveries */
export function sweepDeliveries(layer: Layer, keepMs: number, max: number): number {
  const { deliveries, events, webhooks } = layer;
  for (const webhook of [...deliveries.webhooks()]) if (webhooks.get(webhook)?.active !== true) cancelPending(layer, webhook);
  const beforeMs = deliveries.clock.now() - keepMs;
  const over = [...deliveries.entries()].flatMap(([id, { endedMs, event }]) =>
    endedMs !== undefined && endedMs < beforeMs ? [{ id, endedMs, event }] : [],
  );
  const swept = over.sort((left, right) => left.endedMs - right.endedMs).slice(0, max);
  for (const { id } of swept) deliveries.delete(id);
  const left = swept.length === 0 ? new Set() : new Set([...deliveries.entries()].map(([, { event }]) => event));
  for (const { event } of swept) if (!left.has(event)) events.delete(event);
  return swept.length;
}
