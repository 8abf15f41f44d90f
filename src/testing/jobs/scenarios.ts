import { advanceScenarios } from "./advance.js";
import { claimScenarios } from "./claim.js";
import { createScenarios } from "./create.js";
import { endScenarios } from "./endings.js";
import { keyScenarios } from "./keys.js";
import { leaseScenarios } from "./leases.js";
import { jobQueueScenarios } from "./queue.js";
import { jobRaceScenarios } from "./races.js";
import { removalScenarios } from "./removal.js";
import { reopenScenarios } from "./reopen.js";
import { reopenRaceScenarios } from "./reopenRaces.js";
import type { JobScenario } from "./scenario.js";
import { jobTransactionScenarios } from "./transactions.js";
import { turnScenarios } from "./turns.js";

const themes: Readonly<Record<string, readonly JobScenario[]>> = {
  create: createScenarios,
  "keys, times": keyScenarios,
  "leased work": jobQueueScenarios,
  claim: claimScenarios,
  turns: turnScenarios,
  leases: leaseScenarios,
  advance: advanceScenarios,
  "finish, cancel": endScenarios,
  reopen: [...reopenScenarios, ...reopenRaceScenarios],
  "remove, sweep": removalScenarios,
  races: jobRaceScenarios,
  transactions: jobTransactionScenarios,
};

/** All scenarios of the contract; their names begin with their theme. */
export const jobScenarios: readonly JobScenario[] = Object.entries(themes).flatMap(([theme, all]) =>
  all.map((scenario) => ({ ...scenario, name: `${theme} › ${scenario.name}` })),
);
