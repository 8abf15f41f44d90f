import type { Action } from "../auth/authorize.js";
import type { HttpResponse } from "../http/message.js";
import type { Preferences } from "../http/prefer.js";
import { type Context, writeCall } from "../operation/context.js";
import { permit } from "../operation/permit.js";
import { ProblemError } from "../problem/index.js";
import type { Faults } from "../query/fault.js";
import { type FilterQuery, parseFilterQuery } from "../query/filterQuery.js";
import { refuseFaults } from "../query/parse.js";
import type { LinkedResource } from "../resource/link.js";
import { permitRow } from "../resource/permitRow.js";
import { resolveRelations } from "../resource/relatedFilter.js";
import { toBodyValue } from "../resource/rowValues.js";
import { gateFor } from "../schema/access.js";
import type { Row } from "../storage/collection.js";
import type { Filter } from "../storage/filter.js";
import type { Id } from "../storage/scalar.js";
import { maximumOf } from "./collectionBatches.js";
import { tooManyItems } from "./readItems.js";

/** The rows that a write is about, chosen by a filter. */
export interface FilteredRows {
  readonly filter: Filter;
  readonly query: FilterQuery;
}

const sampleSize = 5;

/**
 * The filter of a write. Whoever chooses rows by it could list them, so the same is asked for.
 *
 * @throws {ProblemError} 400 with everything that was wrong, FILTER_REQUIRED, FORBIDDEN, FORBIDDEN_FIELD
 */
export async function readFilter(linked: LinkedResource, context: Context, hint: string): Promise<FilteredRows> {
  const { environment, principal, authRequest, request } = context;
  const allowed =
    environment.authorize === undefined
      ? context.permit
      : await permit(environment, { principal, authRequest, action: "list", collection: linked.name });
  const faults: Faults = [];
  const query = parseFilterQuery(request.query, linked.table, gateFor(principal, allowed.fields), environment.lists.query, faults);
  refuseFaults(faults);
  if (query.filter === undefined) throw new ProblemError("FILTER_REQUIRED", `Without a filter this would change every row.${hint}`);
  const filter = await resolveRelations(linked, context, query.filter);
  if (filter === undefined) throw new Error("A filter was resolved to none.");
  return { filter, query };
}

/** Rows that match, as far as one batch reaches. */
export interface MatchedRows {
  readonly ids: readonly Id[];
  /** Of all rows that match and that the principal may know of; `undefined` where there are too many to ask about each. */
  readonly matched: number | undefined;
}

/**
 * Finds the rows, in the order of their ids.
 *
 * @param action for rows that `authorize` hides from whoever does it: to the principal they do not match
 */
export async function matchRows({ resource }: LinkedResource, context: Context, filter: Filter, action: Action): Promise<MatchedRows> {
  const { environment } = context;
  const rows = environment.collection(resource.name);
  const maximum = maximumOf(resource, environment.limits);
  const call = writeCall(context);
  const sort = [{ path: [resource.id.name], dir: "asc" }] as const;
  if (environment.authorize !== undefined) return matchVisible(context, resource, action, rows.iterate({ filter, sort, limit: mostAsked + 1 }, call));
  const found = await rows.find({ filter, sort, fields: [[resource.id.name]], limit: maximum + 1 }, call);
  const ids = found.map((row) => row[resource.id.name] as Id);
  return { ids, matched: found.length <= maximum ? ids.length : await rows.count(filter, call) };
}

/** Rows that `authorize` is asked about by one filter. */
const mostAsked = 10_000;

async function matchVisible(
  context: Context,
  resource: LinkedResource["resource"],
  action: Action,
  pages: AsyncIterable<readonly Row[]>,
): Promise<MatchedRows> {
  const ids: Id[] = [];
  let asked = 0;
  for await (const page of pages) {
    asked += page.length;
    if (asked > mostAsked) return { ids, matched: undefined };
    for (const row of await visibleRows(context, resource, action, page)) ids.push(row[resource.id.name] as Id);
  }
  return { ids, matched: ids.length };
}

/** Those of the rows that the principal may know of: rows that `authorize` hides match nothing. */
export async function visibleRows(
  context: Context,
  resource: LinkedResource["resource"],
  action: Action,
  found: readonly Row[],
): Promise<readonly Row[]> {
  const visible: Row[] = [];
  for (const row of found) {
    try {
      if ((await permitRow(context, resource, action, row)) !== undefined) visible.push(row);
    } catch (error) {
      // Forbidden is not hidden: its item says so.
      if (!(error instanceof ProblemError) || error.status >= 500) throw error;
      visible.push(row);
    }
  }
  return visible;
}

/**
 * What comes of a filter before anything is written: an answer, a refusal, or nothing that stands in the way.
 *
 * @throws {ProblemError} TOO_MANY_AFFECTED, CONFIRMATION_REQUIRED, CONFIRMATION_MISMATCH
 */
export function judgeMatch(
  { resource }: LinkedResource,
  { query: { dryRun, confirm } }: FilteredRows,
  { ids, matched }: MatchedRows,
  { maxAffected }: Preferences,
  needsConfirmation: boolean,
): HttpResponse | undefined {
  if (matched === undefined) {
    const needsNumber = dryRun || maxAffected !== undefined || typeof confirm === "number" || (needsConfirmation && confirm === undefined);
    if (needsNumber) throw tooManyItems(undefined, mostAsked, ' Narrow the filter, or confirm with "confirm=true".');
    return undefined;
  }
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

/** @throws {ProblemError} BATCH_TOO_LARGE for more rows than a batch that is answered at once may change */
export function requireFew({ resource }: LinkedResource, { environment }: Context, matched: number | undefined, hint: string): void {
  const maximum = maximumOf(resource, environment.limits);
  if (matched === undefined || matched > maximum) throw tooManyItems(matched, maximum, hint);
}
