import { EventOutbox } from "../../src/capabilities/events/eventOutbox.js";
import type { EventReceiver } from "../../src/capabilities/events/receiver.js";
import { fanOut } from "../../src/capabilities/webhooks/events/fanOut.js";
import { KnownWebhooks } from "../../src/capabilities/webhooks/events/knownWebhooks.js";
import { systemIds } from "../../src/engine/operation/ids/ids.js";
import { silentLogger } from "../../src/engine/operation/logging/logger.js";
import { pooledRandom } from "../../src/engine/operation/random.js";
import { systemClock } from "../../src/ground/clock/clock.js";
import { type Summary, summarize } from "../tools/statistics.js";
import { eventData, eventType } from "./delivery.js";
import { type Outbox, recordArrivals, register } from "./outbox.js";

/** One event to many webhooks, by the clock on the wall. */
export interface MeasuredFanOut {
  /** From the event until all its deliveries have been made. */
  readonly enqueueMs: Summary;
  /** To claim all of them, 100 at a time. */
  readonly claimMs: Summary;
}

const claimedAtOnce = 100;

/** The first round, which reads and compiles all registrations, does not count. */
export async function measureFanOut(
  outbox: Outbox,
  { endpoints, rounds }: { readonly endpoints: number; readonly rounds: number },
): Promise<MeasuredFanOut> {
  const tenant = "fan";
  await register(outbox, tenant, endpoints, { currency: "EUR" });
  const ids = systemIds(systemClock, pooledRandom());
  const known = new KnownWebhooks();
  const receiver: EventReceiver = {
    enqueue: (tx, events, origin) => fanOut(tx, events, origin, { known, ids, storage: outbox.storage }),
    wake: () => {},
  };
  const shared = {
    sources: new Map(),
    receivers: [receiver],
    apiVersion: "2026-01-01",
    limitBytes: 262_144,
    clock: systemClock,
    ids,
    logger: silentLogger,
  };
  const eventOutbox = new EventOutbox(shared);
  const enqueue: number[] = [];
  const claim: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const begin = performance.now();
    await outbox.storage.transaction?.((tx) => eventOutbox.emit({ type: eventType, data: eventData, tenant }, tx));
    while ((await outbox.deliveries.spread?.({ max: claimedAtOnce })) !== undefined);
    const enqueued = performance.now();
    const claimed = await claimAll(outbox, endpoints);
    const end = performance.now();
    await recordArrivals(outbox, claimed);
    if (round < 0) continue;
    enqueue.push(enqueued - begin);
    claim.push(end - enqueued);
  }
  return { enqueueMs: summarize(enqueue), claimMs: summarize(claim) };
}

async function claimAll({ deliveries }: Outbox, expected: number) {
  const all = [];
  for (;;) {
    const claimed = await deliveries.claim({ leaseMs: 75_000, max: claimedAtOnce, maxPerWebhook: 5 });
    all.push(...claimed);
    if (claimed.length > 0) continue;
    if (all.length !== expected) throw new Error(`${all.length} deliveries were claimed, not ${expected}.`);
    return all;
  }
}
