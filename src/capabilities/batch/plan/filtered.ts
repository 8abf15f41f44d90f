import { type Context, readCall } from "../../../engine/operation/context.js";
import type { QueryContext } from "../../../engine/operation/operation.js";
import { permit } from "../../../engine/operation/permit.js";
import { changeableRows } from "../../../engine/operation/rules/readableRows.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import { resolveRelations } from "../../../engine/resource/relations/relatedFilter.js";
import { toBodyValue } from "../../../engine/resource/write/rowValues.js";
import type { Preferences } from "../../../ground/http/headers/prefer.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { Filter } from "../../../ground/storage/filter.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { type FilterQuery, parseFilterQuery } from "../../../language/query/conditions/filterQuery.js";
import type { Faults } from "../../../language/query/fault.js";
import { refuseFaults } from "../../../language/query/grammar/parse.js";
import { gateFor } from "../../../language/schema/access.js";
import { maxItemsOf } from "./collectionBatches.js";
import { tooManyItems } from "./readItems.js";

/** The rows of a write, selected by a filter. */
export interface FilteredRows {
  readonly filter: Filter;
  readonly query: FilterQuery;
}

const sampleSize = 5;

/**
 * Parses the query of a write that selects rows by a filter. A filter reveals which rows match, so the permission to list is required.
 *
 * @throws {ProblemError} 400 with all faults, FORBIDDEN, FORBIDDEN_FIELD
 */
export async function parseFilter(linked: LinkedResource, context: QueryContext): Promise<FilterQuery> {
  const { environment, principal, authRequest, request } = context;
  const allowed =
    environment.authorize === undefined
      ? context.permit
      : await permit(environment, { principal, authRequest, action: "list", collection: linked.name });
  const faults: Faults = [];
  const gate = gateFor(principal, allowed.fields);
  const query = parseFilterQuery(request.query, { table: linked.table, gate, settings: environment.lists.query, faults });
  refuseFaults(faults);
  return query;
}

/**
 * The filter of a write.
 *
 * @throws {ProblemError} those of {@link parseFilter}, FILTER_REQUIRED
 */
export async function readFilter(linked: LinkedResource, context: Context, hint: string): Promise<FilteredRows> {
  const query = (context.query as FilterQuery | undefined) ?? (await parseFilter(linked, context));
  if (query.filter === undefined) throw new ProblemError("FILTER_REQUIRED", `Without a filter this would change every row.${hint}`);
  const filter = await resolveRelations(linked, context, query.filter);
  if (filter === undefined) throw new Error("A filter was resolved to nothing.");
  return { filter, query };
}

/** Rows that match, up to the limit of one batch. */
export interface MatchedRows {
  readonly ids: readonly Id[];
  /** The number of all matching rows that the principal may read and change. */
  readonly matched: number;
}

/** Finds the rows, in the order of their ids. Rows that the principal may not read, or not change in this way, do not match. */
export async function matchRows({ resource }: LinkedResource, context: Context, filter: Filter, action: "update" | "remove"): Promise<MatchedRows> {
  const rows = await changeableRows(context, resource.name, action);
  const maximum = maxItemsOf(resource, context.environment.limits);
  const call = readCall(context);
  const sort = [{ path: [resource.id.name], dir: "asc" }] as const;
  const found = await rows.find({ filter, sort, fields: [[resource.id.name]], limit: maximum + 1 }, call);
  const ids = found.map((row) => row[resource.id.name] as Id);
  return { ids, matched: found.length <= maximum ? ids.length : await rows.count(filter, call) };
}

/**
 * Checks a filter before anything is written: returns a response if nothing is to be done, and throws if a confirmation is missing.
 *
 * @throws {ProblemError} TOO_MANY_AFFECTED, CONFIRMATION_REQUIRED, CONFIRMATION_MISMATCH
 */
export function validateMatch(
  { resource }: LinkedResource,
  { query: { dryRun, confirm } }: FilteredRows,
  { ids, matched }: MatchedRows,
  { maxAffected }: Preferences,
  needsConfirmation: boolean,
): HttpResponse | undefined {
  const sample = ids.slice(0, sampleSize).map((id) => toBodyValue(resource.id, id));
  if (dryRun) {
    return { status: 200, headers: { "content-type": "application/json", "cache-control": "no-store" }, body: JSON.stringify({ matched, sample }) };
  }
  if (maxAffected !== undefined && matched > maxAffected) {
    const detail = `${matched} rows match; "Prefer: max-affected" allows ${maxAffected}.`;
    throw new ProblemError("TOO_MANY_AFFECTED", detail, { extensions: { matched, maximum: maxAffected } });
  }
  if (needsConfirmation && confirm === undefined) {
    const detail = `${matched} rows match. Repeat the request with "confirm=${matched}" to delete them.`;
    throw new ProblemError("CONFIRMATION_REQUIRED", detail, { extensions: { matched, sample } });
  }
  if (typeof confirm === "number" && confirm !== matched) {
    throw new ProblemError("CONFIRMATION_MISMATCH", `${matched} rows match, not ${confirm}; nothing was changed.`, {
      extensions: { matched, sample },
    });
  }
  return undefined;
}

/** @throws {ProblemError} BATCH_TOO_LARGE if more rows match than a batch may change within its request */
export function requireAtMostMaxItems({ resource }: LinkedResource, { environment }: Context, matched: number, hint: string): void {
  const maximum = maxItemsOf(resource, environment.limits);
  if (matched > maximum) throw tooManyItems(matched, maximum, hint);
}
