import { claimScenarios } from "./claim.js";
import { enqueueScenarios } from "./enqueue.js";
import { ephemeralScenarios } from "./ephemeral.js";
import { fairnessScenarios } from "./fairness.js";
import { leaseScenarios } from "./leases.js";
import { logScenarios } from "./log.js";
import { taskQueueScenarios } from "./queue.js";
import { recordScenarios } from "./record.js";
import { registryScenarios } from "./registry.js";
import { replayScenarios } from "./replay.js";
import type { SubscriberScenario } from "./stage.js";
import { sweepScenarios } from "./sweep.js";
import { subscriberTransactionScenarios } from "./transactions.js";

const themes: Readonly<Record<string, readonly SubscriberScenario[]>> = {
  registry: registryScenarios,
  ephemeral: ephemeralScenarios,
  enqueue: enqueueScenarios,
  "leased work": taskQueueScenarios,
  claim: claimScenarios,
  fairness: fairnessScenarios,
  leases: leaseScenarios,
  record: recordScenarios,
  log: logScenarios,
  replay: replayScenarios,
  sweep: sweepScenarios,
  transactions: subscriberTransactionScenarios,
};

/** All scenarios of the contract; their names begin with their theme. */
export const subscriberScenarios: readonly SubscriberScenario[] = Object.entries(themes).flatMap(([theme, all]) =>
  all.map((scenario) => ({ ...scenario, name: `${theme} › ${scenario.name}` })),
);
