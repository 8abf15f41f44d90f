import { bulkScenarios } from "./bulk.js";
import { columnScenarios } from "./columns.js";
import { arrayFilterScenarios } from "./filterArrays.js";
import { jsonFilterScenarios } from "./filterJson.js";
import { logicFilterScenarios } from "./filterLogic.js";
import { placeFilterScenarios } from "./filterPlaces.js";
import { textFilterScenarios } from "./filterText.js";
import { foldedScenarios } from "./folded.js";
import { groupScenarios } from "./groups.js";
import { insertScenarios } from "./insert.js";
import { insertManyScenarios } from "./insertMany.js";
import { insertManyOrderScenarios } from "./insertManyOrder.js";
import { insertManyRowsScenarios } from "./insertManyRows.js";
import { iterateScenarios } from "./iterate.js";
import { migrateScenarios } from "./migrate.js";
import { operationScenarios } from "./operations.js";
import { pageScenarios } from "./page.js";
import { raceScenarios } from "./races.js";
import { readScenarios } from "./read.js";
import { savepointScenarios } from "./savepoints.js";
import type { Scenario } from "./scenario.js";
import { secretScenarios } from "./secret.js";
import { sortScenarios } from "./sort.js";
import { placeSortScenarios } from "./sortPlaces.js";
import { threeFieldSortScenarios } from "./sortThreeFields.js";
import { tenantScenarios } from "./tenants.js";
import { transactionScenarios } from "./transactions.js";
import { uniqueKeyScenarios } from "./uniqueKeys.js";
import { updateScenarios } from "./update.js";

const themes: Readonly<Record<string, readonly Scenario[]>> = {
  insert: insertScenarios,
  columns: columnScenarios,
  "unique keys": uniqueKeyScenarios,
  operations: operationScenarios,
  read: readScenarios,
  "update and remove": updateScenarios,
  tenants: tenantScenarios,
  "filter places": placeFilterScenarios,
  "filter logic": logicFilterScenarios,
  "filter text": textFilterScenarios,
  "filter json": jsonFilterScenarios,
  "filter arrays": arrayFilterScenarios,
  "filter folded": foldedScenarios,
  sort: sortScenarios,
  "sort places": [...placeSortScenarios, ...threeFieldSortScenarios],
  pages: pageScenarios,
  groups: groupScenarios,
  insertMany: [...insertManyScenarios, ...insertManyRowsScenarios, ...insertManyOrderScenarios],
  bulk: bulkScenarios,
  iterate: iterateScenarios,
  transactions: transactionScenarios,
  savepoints: savepointScenarios,
  races: raceScenarios,
  migrate: migrateScenarios,
  secret: secretScenarios,
};

/** Every promise of the contract, its theme in front of its name. */
export const scenarios: readonly Scenario[] = Object.entries(themes).flatMap(([theme, all]) =>
  all.map((scenario) => ({ ...scenario, name: `${theme} › ${scenario.name}` })),
);
