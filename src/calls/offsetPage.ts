import { ConfigurationError } from "../problem/index.js";
import type { ListOptions } from "./collectionCalls.js";

/**
 * Options with the page that begins at `offset` and has `limit` rows.
 *
 * @throws {ConfigurationError} for an offset between two pages, and beside `page`, `perPage` or `cursor`
 */
export function pageAt({ offset, limit, ...options }: ListOptions): ListOptions {
  if (offset === undefined && limit === undefined) return options;
  const page = (offset ?? 0) / Number(limit);
  if (!Number.isInteger(page) || (options.page ?? options.perPage ?? options.cursor) !== undefined) {
    const detail = `list: "offset" is ${offset}, but must be a multiple of "limit", ${limit}, without "page", "perPage" and "cursor".`;
    throw new ConfigurationError(detail);
  }
  return { ...options, page: page + 1, perPage: limit };
}
