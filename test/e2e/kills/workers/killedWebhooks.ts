import type { Storage } from "restwright";
import { undiciTransport } from "restwright/undici";
import type { WebhookOptions } from "restwright/webhooks";

const headTimeoutMs = 400;
const bodyMs = 200;
/** More than twice the longest attempt, as in earnest, and soon over. */
const leaseMs = 1_300;

/** The lease of the service itself is over a minute, as its longest attempt is half a minute. */
export function impatient(storage: Storage): Storage {
  const { deliveries } = storage;
  if (deliveries === undefined) throw new Error("The storage keeps no deliveries.");
  return { ...storage, deliveries: { ...deliveries, claim: (request) => deliveries.claim({ ...request, leaseMs }) } };
}

/** Options of webhooks in processes that are killed; they trust this authority, in PEM. */
export function killedWebhooks(ca: string): WebhookOptions {
  return {
    transport: undiciTransport({ network: { allowCidrs: ["127.0.0.1/32"], ca }, lookup: async () => ["127.0.0.1"], headTimeoutMs, bodyMs }),
    // Attempts that kills cut off use up the schedule.
    scheduleMs: [0, ...Array<number>(50).fill(150)],
    pollMs: 100,
    perWebhook: 20,
    disableAfter: { consecutive: 1_000_000 },
  };
}
