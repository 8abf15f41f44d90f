import { type Summary, summarize } from "../tools/statistics.js";
import { type Outbox, recordArrivals, register } from "./outbox.js";

/** Claims while deliveries wait, by the clock on the wall. */
export interface MeasuredClaims {
  readonly claimMs: Summary;
  /** Deliveries that were claimed, and those of them that are the healthy webhooks'. */
  readonly claimed: number;
  readonly healthy: number;
}

/** What the healthy webhooks have waiting: as much as all claims take. */
const shape = { webhooks: 100, each: 40, claims: 40, claimedAtOnce: 100 };

const enqueuedAtOnce = 1_000;

/**
 * Makes one webhook wait with many deliveries, and claims for a hundred others.
 *
 * @param waiting deliveries of the one that wait in front of theirs
 * @param name of the tenants; another one in every run
 */
export async function measureClaims(outbox: Outbox, waiting: number, name: string, analyze: () => Promise<void>): Promise<MeasuredClaims> {
  const slow = await register(outbox, `${name}slow`, 1);
  const healthy = await register(outbox, `${name}healthy`, shape.webhooks);
  for (let made = 0; made < waiting; made += enqueuedAtOnce)
    await enqueue(outbox, `${name}_slow_${made}_`, slow, Math.min(enqueuedAtOnce, waiting - made));
  await enqueue(outbox, `${name}_healthy_`, healthy, shape.webhooks * shape.each);
  await analyze();
  const times: number[] = [];
  let [claimed, ofHealthy] = [0, 0];
  for (let turn = 0; turn < shape.claims; turn++) {
    const begin = performance.now();
    const taken = await outbox.deliveries.claim({ leaseMs: 75_000, max: shape.claimedAtOnce, maxPerWebhook: 5 });
    times.push(performance.now() - begin);
    claimed += taken.length;
    ofHealthy += taken.filter(({ webhook }) => webhook.id !== slow[0]).length;
    await recordArrivals(outbox, taken);
  }
  return { claimMs: summarize(times), claimed, healthy: ofHealthy };
}

/** One event a delivery, the webhooks in turn. */
async function enqueue({ deliveries }: Outbox, prefix: string, webhooks: readonly string[], count: number): Promise<void> {
  const body = Buffer.from(`{"id":"evt","type":"order.created","data":{}}`);
  const events = Array.from({ length: count }, (_, index) => {
    const to = [{ id: `dlv_${prefix}${index}`, webhook: webhooks[index % webhooks.length] ?? "" }];
    return { id: `evt_${prefix}${index}`, type: "order.created", tenant: undefined, createdAt: new Date(), body, deliveries: to };
  });
  await deliveries.enqueue(events);
}
