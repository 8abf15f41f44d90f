import { problemAt } from "../../../ground/problem/index.js";
import type { CountedRows, Row } from "../../../ground/storage/collection.js";
import type { Filter } from "../../../ground/storage/filter.js";
import { type ReadAt, readersOf } from "../../../ground/storage/matches/path.js";
import type { Query } from "../../../ground/storage/query.js";
import type { Scalar } from "../../../ground/storage/values/scalar.js";
import type { ListQuery } from "../../../language/query/grammar/parse.js";
import { allOf, type FilterTree } from "../../../language/query/grammar/tree.js";
import { type Cursor, type CursorCodec, cursorCodec, cursorFilter, reverse } from "../../../language/query/paging/cursor.js";
import type { OrderKey } from "../../../language/query/paging/sort.js";
import { type Context, readCall } from "../../operation/context.js";
import { readableRows } from "../../operation/rules/readableRows.js";
import type { LinkedResource } from "../relations/link.js";
import { resolveRelations } from "../relations/relatedFilter.js";
import type { AskedList } from "./answerList.js";
import { type CountedTotal, countLimits, countTotal, uncounted } from "./count.js";

/** Rows of a list, and their position in it. */
export interface ListPage extends CountedTotal {
  readonly rows: readonly Row[];
  /** Null if the rows were read by a cursor. */
  readonly page: number | null;
  readonly perPage: number;
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  /** Cursors to the rows after the last one and before the first; null if there are none. */
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
}

/** What is read of each row. */
export type PageParts = Pick<Query, "fields" | "versions">;

/**
 * Reads a page, by number or by cursor. One row more than requested is read: it shows whether there is a next page.
 *
 * @throws {ProblemError} INVALID_CURSOR
 */
export async function readPage(linked: LinkedResource, context: Context, request: AskedList, parts: PageParts): Promise<ListPage> {
  const { environment, principal, pathScope } = context;
  const { query } = request;
  const asked = allOf<FilterTree>([pathScope?.filter, query.filter].filter((filter) => filter !== undefined));
  const list = { collection: linked.name, tenant: principal.tenant, filter: asked, sort: query.sort, deleted: query.deleted };
  const codec = cursorCodec(list, environment.secrets.signer("cursor"));
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor, codec, request);
  const resolved = resolveRelations(linked, context, asked);
  const filter = resolved instanceof Promise ? await resolved : resolved;
  const readable = readableRows(context, linked.name);
  const collection = readable instanceof Promise ? await readable : readable;
  const mode = environment.lists.envelope === "none" ? "exact" : query.count;
  const bounds: Query = { ...boundsOf(query, filter, cursor), ...parts, limit: query.perPage + 1 };
  const { deleted } = query;
  const call = Object.assign(readCall(context), { deleted });
  const counted: CountedRows =
    mode === "estimated"
      ? await collection.findAndCount(bounds, { filter, ...countLimits(context) }, call)
      : { rows: await collection.find(bounds, call) };
  const found = placeOf(counted.rows, query, cursor);
  const atLeast = rowsUpTo(query, found);
  const { total, totalRelation } =
    mode === "none"
      ? uncounted
      : (totalOf(query, found) ?? (await countTotal(collection, context, filter, { mode, known: counted, atLeast, deleted })));
  const { nextCursor, prevCursor } = cursorsOf(found, query, request, codec, readersOf(linked.resource.model));
  const { rows, page, hasNext, hasPrevious } = found;
  return { rows, page, hasNext, hasPrevious, total, totalRelation, nextCursor, prevCursor, perPage: query.perPage };
}

function readCursor(text: string, codec: CursorCodec, { cursorPlace }: AskedList): Cursor {
  const cursor = codec.read(text);
  if (cursor !== undefined) return cursor;
  const detail = "The cursor does not belong to this list: it was made for another filter or sort, or it was changed.";
  throw problemAt("INVALID_CURSOR", detail, cursorPlace);
}

type Found = Pick<ListPage, "rows" | "page" | "hasNext" | "hasPrevious">;

/** The rows that were found, without the one too many, and where they are in the list. */
function placeOf(found: Row[], { page, perPage }: ListQuery, cursor: Cursor | undefined): Found {
  const hasMore = found.length > perPage;
  const rows = hasMore ? found.slice(0, perPage) : found;
  if (cursor === undefined) return { rows, page, hasNext: hasMore, hasPrevious: page > 1 };
  const backwards = cursor.direction === "before";
  // The row that the cursor was made from is on the other side.
  return { rows: backwards ? rows.toReversed() : rows, page: null, hasNext: backwards || hasMore, hasPrevious: !backwards || hasMore };
}

/** Which rows a page is taken from, in which order. The page before a cursor is read from the cursor, backwards. */
function boundsOf(
  { sort, page, perPage }: ListQuery,
  filter: Filter | undefined,
  cursor: Cursor | undefined,
): Pick<Query, "filter" | "sort" | "offset"> {
  if (cursor === undefined) return { filter, sort, offset: (page - 1) * perPage };
  const beyond = cursorFilter(cursor, sort);
  return {
    filter: filter === undefined ? beyond : { op: "and", args: [filter, beyond] },
    sort: cursor.direction === "before" ? sort.map((key) => ({ ...key, dir: reverse(key.dir) })) : sort,
  };
}

/** The rows of the list that are known when a page has been read. */
function rowsUpTo({ perPage }: ListQuery, { rows, page, hasNext, hasPrevious }: Found): number {
  const before = page === null ? Number(hasPrevious) : (page - 1) * perPage;
  return rows.length === 0 ? 0 : before + rows.length + Number(hasNext);
}

/** The last page by number determines the total itself, without a count. */
function totalOf(query: ListQuery, { rows, page, hasNext }: Found): CountedTotal | undefined {
  const before = (query.page - 1) * query.perPage;
  const isLast = page !== null && !hasNext && (rows.length > 0 || before === 0);
  return isLast ? { total: before + rows.length, totalRelation: "eq" } : undefined;
}

/** No cursor is made if its values would reveal what the principal may not read. */
function cursorsOf({ rows, hasNext, hasPrevious }: Found, { sort }: ListQuery, { gate }: AskedList, codec: CursorCodec, readAt: ReadAt) {
  const [first, last] = [rows[0], rows.at(-1)];
  const readable = sort.every(({ field }) => gate(field.root, "read") === "allowed");
  const write = (direction: Cursor["direction"], row: Row | undefined) => {
    const values = row === undefined || !readable ? undefined : valuesOf(row, sort, readAt);
    return values === undefined ? null : codec.write({ direction, values });
  };
  return { nextCursor: hasNext ? write("after", last) : null, prevCursor: hasPrevious ? write("before", first) : null };
}

/** The sort keys' values of a row; `undefined` if one of them cannot be compared. */
function valuesOf(row: Row, sort: readonly OrderKey[], readAt: ReadAt): Scalar[] | undefined {
  const values: Scalar[] = [];
  for (const { path } of sort) {
    const value = readAt(path)(row) ?? null;
    if (typeof value === "object" && value !== null && !(value instanceof Date)) return undefined;
    values.push(value as Scalar);
  }
  return values;
}
