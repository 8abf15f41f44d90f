import { isObject } from "../../http/isObject.js";
import { type Context, readCall } from "../../operation/context.js";
import { ProblemError } from "../../problem/index.js";
import type { ListQuery } from "../../query/grammar/parse.js";
import { allOf, type FilterTree } from "../../query/grammar/tree.js";
import { type Cursor, type CursorCodec, cursorCodec, cursorFilter, reverse } from "../../query/paging/cursor.js";
import type { OrderKey } from "../../query/paging/sort.js";
import type { Collection, Row } from "../../storage/collection.js";
import type { Filter } from "../../storage/filter.js";
import type { Scalar } from "../../storage/scalar.js";
import type { LinkedResource } from "../relations/link.js";
import { resolveRelations } from "../relations/relatedFilter.js";
import type { ListRequest } from "./answerList.js";
import { type CountedTotal, countTotal, uncounted } from "./count.js";

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

/**
 * Reads a page, by number or by cursor. One row more than requested is read: it shows whether there is a next page.
 *
 * @param columns top-level fields to read; `undefined` for all
 * @throws {ProblemError} INVALID_CURSOR
 */
export async function readPage(
  linked: LinkedResource,
  context: Context,
  request: ListRequest,
  columns: readonly string[] | undefined,
): Promise<ListPage> {
  const { environment, principal, scope } = context;
  const { query } = request;
  const asked = allOf<FilterTree>([scope?.filter, query.filter].filter((filter) => filter !== undefined));
  const list = { collection: linked.name, tenant: principal.tenant, filter: asked, sort: query.sort };
  const codec = cursorCodec(list, environment.secrets.signer("cursor"));
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor, codec, request);
  const filter = await resolveRelations(linked, context, asked);
  const collection = environment.collection(linked.name);
  const found = await findRows(collection, context, { query, filter, cursor, columns });
  const total = await totalOf(collection, context, query, filter, found);
  return { ...found, ...total, ...cursorsOf(found, query, request, codec), perPage: query.perPage };
}

function readCursor(text: string, codec: CursorCodec, { cursorPlace }: ListRequest): Cursor {
  const cursor = codec.read(text);
  if (cursor !== undefined) return cursor;
  const detail = "The cursor does not belong to this list: it was made for another filter or sort, or it was changed.";
  throw new ProblemError("INVALID_CURSOR", detail, { errors: [{ code: "INVALID_CURSOR", detail, ...cursorPlace }] });
}

interface Find {
  readonly query: ListQuery;
  readonly filter: Filter | undefined;
  readonly cursor: Cursor | undefined;
  readonly columns: readonly string[] | undefined;
}

type Found = Pick<ListPage, "rows" | "page" | "hasNext" | "hasPrevious">;

async function findRows(collection: Collection, context: Context, { query, filter, cursor, columns }: Find): Promise<Found> {
  const { page, perPage, sort } = query;
  const fields = columns?.map((name) => [name] as const);
  const limit = perPage + 1;
  if (cursor === undefined) {
    const offset = (page - 1) * perPage;
    const rows = await collection.find({ filter, sort, fields, limit, offset }, readCall(context));
    return { rows: rows.length > perPage ? rows.slice(0, perPage) : rows, page, hasNext: rows.length > perPage, hasPrevious: page > 1 };
  }
  const backwards = cursor.direction === "before";
  const beyond = cursorFilter(cursor, sort);
  const order = backwards ? sort.map((key) => ({ ...key, dir: reverse(key.dir) })) : sort;
  const conditions = filter === undefined ? beyond : ({ op: "and", args: [filter, beyond] } as const);
  const rows = await collection.find({ filter: conditions, sort: order, fields, limit }, readCall(context));
  const hasMore = rows.length > perPage;
  const kept = rows.slice(0, perPage);
  // The row that the cursor was made from is on the other side.
  return { rows: backwards ? kept.reverse() : kept, page: null, hasNext: backwards || hasMore, hasPrevious: !backwards || hasMore };
}

/** The last page by number determines the total itself, without a count. */
async function totalOf(
  collection: Required<Collection>,
  context: Context,
  query: ListQuery,
  filter: Filter | undefined,
  { rows, page, hasNext }: Found,
): Promise<CountedTotal> {
  const mode = context.environment.lists.envelope === "none" ? "exact" : query.count;
  if (mode === "none") return uncounted;
  const before = (query.page - 1) * query.perPage;
  const isLast = page !== null && !hasNext && (rows.length > 0 || before === 0);
  if (isLast) return { total: before + rows.length, totalRelation: "eq" };
  return countTotal(collection, context, filter, mode);
}

/** No cursor is made if its values would reveal what the principal may not read. */
function cursorsOf({ rows, hasNext, hasPrevious }: Found, { sort }: ListQuery, { gate }: ListRequest, codec: CursorCodec) {
  const [first, last] = [rows[0], rows.at(-1)];
  const readable = sort.every(({ field }) => gate(field.root, "read") === "allowed");
  const write = (direction: Cursor["direction"], row: Row | undefined) => {
    const values = row === undefined || !readable ? undefined : valuesOf(row, sort);
    return values === undefined ? null : codec.write({ direction, values });
  };
  return { nextCursor: hasNext ? write("after", last) : null, prevCursor: hasPrevious ? write("before", first) : null };
}

/** The sort keys' values of a row; `undefined` if one of them cannot be compared. */
function valuesOf(row: Row, sort: readonly OrderKey[]): Scalar[] | undefined {
  const values: Scalar[] = [];
  for (const { path } of sort) {
    let value: unknown = row;
    for (const step of path) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : null;
    if (typeof value === "object" && value !== null && !(value instanceof Date)) return undefined;
    values.push((value ?? null) as Scalar);
  }
  return values;
}
