import type { ListQuery, WirePage } from "./parameters.js";

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

/** Walks by cursor. Nothing is read ahead: a loop that is left sends no further request. */
export function walkRows(list: (query: ListQuery) => Promise<WirePage>, { limit = Number.POSITIVE_INFINITY, ...query }: WalkQuery): RowWalk {
  async function* pages() {
    for (let cursor: string | undefined, left = limit; left > 0; ) {
      const page = await list({ ...query, cursor, count: "none" });
      const data = page.data.slice(0, left);
      left -= data.length;
      yield { ...page, data };
      cursor = page.meta.nextCursor ?? undefined;
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
