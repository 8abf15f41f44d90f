import { whenReady } from "../../../ground/http/whenReady.js";
import { loadedBefore } from "../../../ground/onDemand/onDemand.js";
import type { Collection } from "../../../ground/storage/collection.js";
import type { Context } from "../context.js";
import { loadScoping } from "./onDemand.js";
import type { scopedRows } from "./scoping.js";

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
  return whenReady(scopes.ask(collection, "read", "before"), (rows) => rowsWithin(environment, collection, [rows]));
}

/** The rows that the principal may read, and change in this way. */
export async function changeableRows({ environment, scopes }: Reader, collection: string, action: "update" | "remove"): Promise<Rows> {
  if (scopes === undefined || !scopes.has(collection)) return environment.collection(collection);
  return rowsWithin(environment, collection, [await scopes.ask(collection, "read", "before"), await scopes.ask(collection, action, "before")]);
}

function rowsWithin(...asked: Parameters<typeof scopedRows>): Rows {
  return loadedBefore(loadScoping()).scopedRows(...asked);
}
