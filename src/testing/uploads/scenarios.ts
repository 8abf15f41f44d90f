import { accountScenarios } from "./accounts.js";
import { createScenarios } from "./create.js";
import { dueScenarios } from "./due.js";
import { limitScenarios } from "./limits.js";
import { uploadRaceScenarios } from "./races.js";
import { removalScenarios } from "./removal.js";
import type { UploadScenario } from "./scenario.js";
import { sequenceScenarios } from "./sequences.js";
import { uploadTransactionScenarios } from "./transactions.js";
import { updateScenarios } from "./update.js";

const themes: Readonly<Record<string, readonly UploadScenario[]>> = {
  create: createScenarios,
  update: updateScenarios,
  remove: removalScenarios,
  accounts: accountScenarios,
  limits: limitScenarios,
  due: dueScenarios,
  races: uploadRaceScenarios,
  sequences: sequenceScenarios,
  transactions: uploadTransactionScenarios,
};

/** All scenarios of the contract; their names begin with their theme. */
export const uploadScenarios: readonly UploadScenario[] = Object.entries(themes).flatMap(([theme, all]) =>
  all.map((scenario) => ({ ...scenario, name: `${theme} › ${scenario.name}` })),
);
