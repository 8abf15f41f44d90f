import type { ResourceCalls } from "../collection.js";
import { NotFoundError } from "../errors.js";
import type { ListQuery, RowId, WirePage } from "../parameters.js";
import type { Members } from "./members.js";

/** A page by its number. */
export interface PageOf {
  readonly page: number;
  readonly perPage: number;
}

/**
 * The rows of a page. The first one may have more rows than a page of the service, as exports ask for: they are read by cursors.
 *
 * @throws {TypeError} for a later page that is larger than one of the service
 */
export async function readPage(calls: ResourceCalls, query: ListQuery, { page, perPage }: PageOf, maxPerPage: number): Promise<WirePage> {
  if (perPage <= maxPerPage) return calls.list({ ...query, page, perPage });
  if (page !== 1) throw new TypeError(`Page ${page} of ${perPage} rows: pages after the first one have at most ${maxPerPage}, see "maxPerPage".`);
  const { count: _, ...walked } = query;
  const [data, { meta }] = await Promise.all([
    calls.walk({ ...walked, perPage: maxPerPage }).toArray({ limit: perPage }),
    calls.list({ ...query, perPage: 1 }),
  ]);
  return { data, meta: { ...meta, page, perPage, nextCursor: null } };
}

/** The rows with these ids, in any order; those that do not exist are missing. */
export async function readRows(
  calls: ResourceCalls,
  ids: readonly RowId[],
  names: readonly string[],
  query: ListQuery,
  maxPerPage: number,
): Promise<Members[]> {
  const [name = "id", ...others] = names;
  if (others.length > 0) return (await Promise.all(ids.map((id) => calls.get(id, query).catch(nothing)))).flat() as Members[];
  const rows: object[] = [];
  for (let from = 0; from < ids.length; from += maxPerPage) {
    const some = ids.slice(from, from + maxPerPage);
    rows.push(...(await calls.walk({ ...query, where: { [name]: { in: some } }, perPage: some.length }).toArray({ limit: some.length })));
  }
  return rows as Members[];
}

/** A row that does not exist. */
function nothing(error: unknown): never[] {
  if (error instanceof NotFoundError) return [];
  throw error;
}
