import { resolveLimits } from "../../ground/limits/limits.js";
import { Capabilities } from "./capabilities.js";
import { checkOptions } from "./checkOptions.js";
import { type SystemParts, systemParts } from "./environment.js";
import type { ServiceOptions } from "./options.js";
import { RuleLimit } from "./ruleLimit.js";

/** What a service will be made of: everything that options decide, before anything of it is opened. */
export interface ServicePlan {
  /** With the defaults of the service, and as the capabilities wrap them. */
  readonly options: ServiceOptions;
  readonly system: SystemParts;
  readonly ruleLimit: RuleLimit;
  /** In the order in which they are opened. */
  readonly capabilities: Capabilities;
}

/** Checks the options and resolves what follows from them. @throws {ConfigurationError} for invalid or conflicting options */
export function planService(given: ServiceOptions): ServicePlan {
  checkOptions(given);
  const system = systemParts(given);
  const { use = [] } = given;
  const ruleLimit = new RuleLimit({ timers: system.timers, limits: resolveLimits(given.limits) });
  const options = ruleLimit.options({ ...given, logger: system.logger });
  for (const each of use.toReversed()) Object.assign(options, each.wrap?.(options));
  return { options, system, ruleLimit, capabilities: new Capabilities(use) };
}
