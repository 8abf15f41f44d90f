import type { ListPage } from "./listPage.js";

/** What a list says of itself. */
export interface ListMeta {
  /** From 1; null where the page was found by a cursor. */
  readonly page: number | null;
  readonly perPage: number;
  /** Rows that match the filter; null where nobody counted. */
  readonly total: number | null;
  /** `gte` means "at least so many". */
  readonly totalRelation: "eq" | "gte" | null;
  /** Number of pages; null where the total is not exact. */
  readonly pages: number | null;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
}

/** The `meta` of a page. */
export function metaOf({ page, perPage, total, totalRelation, nextCursor, prevCursor }: ListPage): ListMeta {
  const pages = total === null || totalRelation === "gte" ? null : Math.ceil(total / perPage);
  return { page, perPage, total, totalRelation, pages, nextCursor, prevCursor };
}
