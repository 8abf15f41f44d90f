import { writeCursor } from "./cursor.js";
import { type PageMeta, pageLinks } from "./pageLinks.js";
import type { UserQuery } from "./schema.js";
import { countLimit, type ListedUser, type Place, type UserPage } from "./user.js";

/** A list as it is answered. */
export interface UserListBody {
  readonly data: readonly Record<string, unknown>[];
  readonly meta: PageMeta;
  readonly links: Readonly<Record<string, string>>;
}

/**
 * The answer to a list request.
 *
 * @param found One row more than a page, where there is one.
 * @param url The request target, for the links.
 */
export function listBody(query: UserQuery, place: Place | undefined, found: UserPage, key: Buffer, url: string): UserListBody {
  const { page = 1, perPage, fields } = query;
  const hasMore = found.users.length > perPage;
  const near = hasMore ? found.users.slice(0, perPage) : found.users;
  const backwards = place?.direction === "before";
  const users = backwards ? near.toReversed() : near;
  const hasNext = backwards || hasMore;
  const hasPrevious = place === undefined ? page > 1 : !backwards || hasMore;
  const [first, last] = [users[0], users.at(-1)];
  const exact = found.total <= countLimit;
  const meta: PageMeta = {
    page: place === undefined ? page : null,
    perPage,
    total: exact ? found.total : countLimit,
    totalRelation: exact ? "eq" : "gte",
    pages: exact ? Math.ceil(found.total / perPage) : null,
    nextCursor: hasNext && last !== undefined ? writeCursor("after", last, query, key) : null,
    prevCursor: hasPrevious && first !== undefined ? writeCursor("before", first, query, key) : null,
  };
  return { data: users.map((user) => pick(user, fields)), meta, links: pageLinks(url, meta) };
}

/** In the order in which they were asked for; what a user does not have is left to `JSON.stringify`. */
function pick(user: ListedUser, fields: UserQuery["fields"]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const field of fields) picked[field] = user[field];
  return picked;
}
