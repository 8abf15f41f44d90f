import { attemptScenarios } from "./attempts.js";
import { beginScenarios } from "./begin.js";
import { chaosScenarios } from "./chaos.js";
import { idempotencyEndScenarios } from "./ends.js";
import { expiryScenarios } from "./expiry.js";
import { ownerScenarios } from "./owners.js";
import { idempotencyRaceScenarios } from "./races.js";
import { responseScenarios } from "./responses.js";
import type { IdempotencyScenario } from "./scenario.js";
import { takeOverScenarios } from "./takeOver.js";
import { idempotencyTransactionScenarios } from "./transactions.js";

const themes: Readonly<Record<string, readonly IdempotencyScenario[]>> = {
  begin: beginScenarios,
  "complete, abandon, renew": attemptScenarios,
  responses: responseScenarios,
  "take-over": takeOverScenarios,
  ends: idempotencyEndScenarios,
  expiry: expiryScenarios,
  owners: ownerScenarios,
  races: idempotencyRaceScenarios,
  chaos: chaosScenarios,
  transactions: idempotencyTransactionScenarios,
};

/** All scenarios of the contract; their names begin with their theme. */
export const idempotencyScenarios: readonly IdempotencyScenario[] = Object.entries(themes).flatMap(([theme, all]) =>
  all.map((scenario) => ({ ...scenario, name: `${theme} › ${scenario.name}` })),
);
