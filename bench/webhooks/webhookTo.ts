import type { Webhook } from "restwright";

/** A webhook in good health, as a store would give it. */
export function webhookTo(url: string, sealed: string): Webhook {
  const now = new Date();
  return {
    id: "wh_1",
    tenant: undefined,
    owner: "bench",
    url,
    events: ["*"],
    filter: undefined,
    apiVersion: undefined,
    secret: sealed,
    secretHint: "",
    previousSecrets: [],
    timedOut: false,
    clientCertificate: undefined,
    principal: undefined,
    active: true,
    consecutiveFailures: 0,
    failingSince: undefined,
    disabledReason: undefined,
    disabledAt: undefined,
    pausedUntil: undefined,
    limit: undefined,
    createdAt: now,
    updatedAt: now,
    version: "1",
  };
}
