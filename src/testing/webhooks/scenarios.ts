import { claimScenarios } from "./claim.js";
import { dropScenarios } from "./drop.js";
import { enqueueScenarios } from "./enqueue.js";
import { fairnessScenarios } from "./fairness.js";
import { leaseScenarios } from "./leases.js";
import { logScenarios } from "./log.js";
import { deliveryQueueScenarios } from "./queue.js";
import { webhookRaceScenarios } from "./races.js";
import { recordScenarios } from "./record.js";
import { registrationScenarios } from "./registrations.js";
import { replayScenarios } from "./replay.js";
import { spreadScenarios } from "./spread.js";
import type { WebhookScenario } from "./stage.js";
import { sweepScenarios } from "./sweep.js";
import { webhookTransactionScenarios } from "./transactions.js";

const themes: Readonly<Record<string, readonly WebhookScenario[]>> = {
  registrations: registrationScenarios,
  enqueue: enqueueScenarios,
  "events that wait": spreadScenarios,
  "leased work": deliveryQueueScenarios,
  claim: claimScenarios,
  fairness: fairnessScenarios,
  leases: leaseScenarios,
  record: recordScenarios,
  drop: dropScenarios,
  log: logScenarios,
  "replay, test": replayScenarios,
  sweep: sweepScenarios,
  races: webhookRaceScenarios,
  transactions: webhookTransactionScenarios,
};

/** All scenarios of the contract; their names begin with their theme. */
export const webhookScenarios: readonly WebhookScenario[] = Object.entries(themes).flatMap(([theme, all]) =>
  all.map((scenario) => ({ ...scenario, name: `${theme} › ${scenario.name}` })),
);
