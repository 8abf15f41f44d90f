import type { ListQuery } from "../parameters.js";

/** A list of which grids ask for rows from an offset. */
export interface OffsetQuery extends ListQuery {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/**
 * The page that begins at `offset` and has `limit` rows.
 *
 * @throws {TypeError} for an offset between two pages, and beside `page`, `perPage` or `cursor`
 */
export function pageAt({ offset, limit, ...query }: OffsetQuery): ListQuery {
  if (offset === undefined && limit === undefined) return query;
  const page = (offset ?? 0) / Number(limit);
  if (!Number.isInteger(limit) || !Number.isInteger(page) || page < 0 || (query.page ?? query.perPage ?? query.cursor) !== undefined)
    throw new TypeError(`list: "offset" is ${offset}, but must be a multiple of "limit", ${limit}, without "page", "perPage" and "cursor".`);
  return { ...query, page: page + 1, perPage: limit };
}
