import { callable, optionsCheck, strict } from "../../ground/options/index.js";
import { wakeupScenarios } from "../wakeups/scenarios.js";
import { WakeupStage, type WakeupSubject } from "../wakeups/stage.js";
import type { ContractCase } from "./storageContract.js";

export interface WakeupContractOptions {
  /** Opens a channel. All cases use it; the caller closes it at the end. */
  open(): Promise<WakeupSubject>;
}

const check = /* @__PURE__ */ optionsCheck("wakeupContract", () => strict<WakeupContractOptions>({ open: callable() }, ["open"]));

/**
 * The cases that every channel of wake-ups must pass. They may run in any order and concurrently: each has its own topics.
 *
 * @example
 * const cases = await wakeupContract({ open: async () => ({ connect: async () => postgresWakeups({ pool }) }) });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run);
 */
export async function wakeupContract(options: WakeupContractOptions): Promise<readonly ContractCase[]> {
  check(options);
  const stage = await WakeupStage.open(options.open);
  const hasNothing = stage.subject.connectToNothing !== undefined;
  return wakeupScenarios.map(({ name, needsNothing = false, run }) => ({
    name,
    skip: needsNothing && !hasNothing ? "no channel whose engine is away" : undefined,
    run: () => run(stage),
  }));
}
