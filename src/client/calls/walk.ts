import { UnexpectedAnswerError } from "../errors.js";
import type { ListQuery, WirePage } from "../parameters.js";

/** The rows of a list, page by page. */
export interface RowWalk<Row = object, P = WirePage> extends AsyncIterable<Row> {
  /** The pages, with their `meta`. */
  pages(): AsyncIterable<P>;
  /** The rows in an array: not more than the limit. */
  toArray(bound: { readonly limit: number }): Promise<Row[]>;
}

/** A query, and the most rows in all. */
export interface WalkQuery extends ListQuery {
  readonly limit?: number | undefined;
}

/**
 * Walks by cursor. Nothing is read ahead: a loop that is left sends no further request.
 *
 * @throws {UnexpectedAnswerError} if an answer is not a page, or the cursors form a cycle
 */
export function walkRows(list: (query: ListQuery) => Promise<WirePage>, { limit = Number.POSITIVE_INFINITY, ...query }: WalkQuery): RowWalk {
  async function* pages() {
    // An earlier cursor, replaced after 1, 2, 4, … pages: any cycle reaches it again (Brent's algorithm).
    let seen: string | undefined;
    for (let cursor: string | undefined, left = limit, count = 1, next = 1; left > 0; count += 1) {
      const page = await list({ ...query, cursor, count: "none" });
      if (!Array.isArray(page?.data) || !page.meta) throw new UnexpectedAnswerError(200, `no page: ${JSON.stringify(page)}`);
      const data = page.data.slice(0, left);
      left -= data.length;
      yield { ...page, data };
      cursor = page.meta.nextCursor ?? undefined;
      if (cursor !== undefined && cursor === seen) throw new UnexpectedAnswerError(200, `the cursor ${cursor} comes again`);
      if (count === next) [seen, next] = [cursor, 2 * next];
      if (cursor !== undefined) continue;
      if (page.links?.next && left > 0) throw new TypeError(`"sort" names a field that you may not read.`);
      return;
    }
  }
  async function* rows() {
    for await (const { data } of pages()) yield* data;
  }
  return {
    [Symbol.asyncIterator]: rows,
    pages,
    async toArray(bound) {
      const most = bound?.limit;
      if (!(most >= 0)) throw new TypeError("toArray needs a limit.");
      const found: object[] = [];
      for await (const row of walkRows(list, { ...query, limit: Math.min(limit, most) })) found.push(row);
      return found;
    },
  };
}
