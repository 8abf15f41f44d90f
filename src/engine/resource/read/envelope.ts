import type { ListPage } from "./listPage.js";

/** Metadata of a list. */
export interface ListMeta {
  /** From 1; null for a page that was read by a cursor. */
  readonly page: number | null;
  readonly perPage: number;
  /** Rows that match the filter; null if not counted. */
  readonly total: number | null;
  /** `gte` means "at least this many". */
  readonly totalRelation: "eq" | "gte" | null;
  /** Number of pages; null if the total is not exact. */
  readonly pages: number | null;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
}

/** The `meta` of a page. */
export function metaOf({ page, perPage, total, totalRelation, nextCursor, prevCursor }: ListPage): ListMeta {
  const pages = total === null || totalRelation === "gte" ? null : Math.ceil(total / perPage);
  return { page, perPage, total, totalRelation, pages, nextCursor, prevCursor };
}
