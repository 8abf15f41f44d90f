import type { Collection } from "../../../ground/storage/collection.js";
import type { Filter } from "../../../ground/storage/filter.js";
import type { RowTest } from "../../../ground/storage/matches/compileFilter.js";
import type { Environment } from "../environment.js";
import type { AllowedRows } from "./allowedRows.js";
import { ScopedRows } from "./scopedRows.js";

export { ScopeStage } from "./scopeStage.js";
export { Scopes } from "./scopes.js";

type Rows = Required<Collection>;

/** The rows of a collection that are in all of these scopes. */
export function scopedRows(environment: Environment, collection: string, allowed: readonly AllowedRows[]): Rows {
  const filters = allowed.flatMap(({ filter }) => filter ?? []);
  const [first] = filters;
  if (first === undefined) return environment.collection(collection);
  const filter: Filter = filters.length === 1 ? first : { op: "and", args: filters };
  const idName = environment.models.get(collection)?.id ?? "id";
  // The scope names fields of the schema, so that it applies below the rows of a version.
  const rows = new ScopedRows(environment.schemaRows(collection), filter, idName, testOf(allowed));
  return environment.version === undefined ? rows : environment.version.rows(collection, rows);
}

/** Whether a row is in all of them; `undefined` if that needs other rows. */
function testOf(allowed: readonly AllowedRows[]): RowTest | undefined {
  const tests = allowed.map(({ test }) => test);
  const [first] = tests;
  if (tests.length === 1) return first;
  return tests.includes(undefined) ? undefined : (row) => tests.every((test) => test?.(row) === true);
}
