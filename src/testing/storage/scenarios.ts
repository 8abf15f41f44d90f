import { boundScenarios } from "./bounds.js";
import { changeScenarios } from "./changes.js";
import { arrayFilterScenarios } from "./filters/filterArrays.js";
import { jsonFilterScenarios } from "./filters/filterJson.js";
import { logicFilterScenarios } from "./filters/filterLogic.js";
import { pathFilterScenarios } from "./filters/filterPaths.js";
import { relatedFilterScenarios } from "./filters/filterRelated.js";
import { relatedWriteScenarios } from "./filters/filterRelatedWrites.js";
import { textFilterScenarios } from "./filters/filterText.js";
import { foldedScenarios } from "./filters/folded.js";
import { groupScenarios } from "./groups.js";
import { bulkScenarios } from "./inserts/bulk.js";
import { insertScenarios } from "./inserts/insert.js";
import { insertManyScenarios } from "./inserts/insertMany.js";
import { insertManyOrderScenarios } from "./inserts/insertManyOrder.js";
import { insertManyRowsScenarios } from "./inserts/insertManyRows.js";
import { uniqueKeyScenarios } from "./inserts/uniqueKeys.js";
import { updateEachScenarios } from "./inserts/updateEach.js";
import { iterateScenarios } from "./iterate.js";
import { migrateScenarios } from "./migrate.js";
import { operationScenarios } from "./operations.js";
import { memberDefaultScenarios } from "./order/memberDefaults.js";
import { pageScenarios } from "./order/page.js";
import { sortScenarios } from "./order/sort.js";
import { pathSortScenarios } from "./order/sortPaths.js";
import { threeFieldSortScenarios } from "./order/sortThreeFields.js";
import { raceScenarios } from "./races.js";
import { readScenarios } from "./read.js";
import { savepointScenarios } from "./savepoints.js";
import type { Scenario } from "./scenario.js";
import { secretScenarios } from "./secret.js";
import { sharedLockScenarios } from "./sharedLocks.js";
import { tenantScenarios } from "./tenants.js";
import { transactionScenarios } from "./transactions.js";
import { updateScenarios } from "./update.js";
import { columnScenarios } from "./values/columns.js";
import { decimalScenarios } from "./values/decimals.js";

const themes: Readonly<Record<string, readonly Scenario[]>> = {
  insert: insertScenarios,
  columns: columnScenarios,
  decimals: decimalScenarios,
  "unique keys": uniqueKeyScenarios,
  operations: operationScenarios,
  read: readScenarios,
  "update and remove": updateScenarios,
  tenants: tenantScenarios,
  "filter paths": pathFilterScenarios,
  "filter logic": logicFilterScenarios,
  "filter text": textFilterScenarios,
  "filter json": jsonFilterScenarios,
  "filter arrays": arrayFilterScenarios,
  "filter folded": foldedScenarios,
  "filter related": [...relatedFilterScenarios, ...relatedWriteScenarios],
  sort: sortScenarios,
  "sort paths": [...pathSortScenarios, ...threeFieldSortScenarios],
  "member defaults": memberDefaultScenarios,
  pages: pageScenarios,
  groups: groupScenarios,
  insertMany: [...insertManyScenarios, ...insertManyRowsScenarios, ...insertManyOrderScenarios],
  updateEach: updateEachScenarios,
  bulk: bulkScenarios,
  iterate: iterateScenarios,
  bounds: boundScenarios,
  transactions: transactionScenarios,
  savepoints: savepointScenarios,
  "shared locks": sharedLockScenarios,
  races: raceScenarios,
  migrate: migrateScenarios,
  secret: secretScenarios,
  changes: changeScenarios,
};

/** All scenarios of the contract; their names begin with their theme. */
export const scenarios: readonly Scenario[] = Object.entries(themes).flatMap(([theme, all]) =>
  all.map((scenario) => ({ ...scenario, name: `${theme} › ${scenario.name}` })),
);
