import { claimScenarios } from "./claims.js";
import { leaseScenarios } from "./leases.js";
import type { LeasedQueue, QueueScenario } from "./queue.js";
import { sweepScenarios } from "./sweeps.js";
import { transactionScenarios } from "./transactions.js";

const all: readonly QueueScenario[] = [...claimScenarios, ...leaseScenarios, ...sweepScenarios, ...transactionScenarios];

/**
 * What the contracts of jobs, deliveries and tasks have in common, as scenarios of one of them.
 *
 * @param open makes an empty queue; for a scenario that sweeps, in a store from which nothing else can be swept
 */
export function queueScenarios<S>(open: (stage: S, sweeps: boolean) => Promise<LeasedQueue>) {
  return all.map(({ name, needs, sweeps = false, run }) => ({ name, needs, run: async (stage: S) => run(await open(stage, sweeps)) }));
}
