import { whenReady } from "../../../ground/http/whenReady.js";
import type { Collection } from "../../../ground/storage/collection.js";
import type { Filter } from "../../../ground/storage/filter.js";
import type { RowTest } from "../../../ground/storage/matches/compileFilter.js";
import type { Context } from "../context.js";
import type { Environment } from "../environment.js";
import type { AllowedRows } from "./allowedRows.js";
import { ScopedRows } from "./scopedRows.js";

type Rows = Required<Collection>;
type Reader = Pick<Context, "environment" | "scopes">;

/**
 * The rows of a collection that the principal may read. Every operation reads rows for a client here, so that a row outside of the scope is a row that does not
 * exist, whichever way it is asked for.
 *
 * @throws {ConfigurationError} for an unusable answer of the scope; what the scope throws
 */
export function readableRows({ environment, scopes }: Reader, collection: string): Rows | Promise<Rows> {
  if (scopes === undefined || !scopes.has(collection)) return environment.collection(collection);
  return whenReady(scopes.ask(collection, "read", "before"), (rows) => within(environment, collection, [rows]));
}

/** The rows that the principal may read, and change in this way. */
export async function changeableRows({ environment, scopes }: Reader, collection: string, action: "update" | "remove"): Promise<Rows> {
  if (scopes === undefined || !scopes.has(collection)) return environment.collection(collection);
  return within(environment, collection, [await scopes.ask(collection, "read", "before"), await scopes.ask(collection, action, "before")]);
}

function within(environment: Environment, collection: string, allowed: readonly AllowedRows[]): Rows {
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
