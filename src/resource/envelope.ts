import type { HttpRequest } from "../http/message.js";
import { decodeQueryPart } from "../query/decode.js";
import type { Page } from "../query/page.js";

/** What a list says of itself. */
export interface PageMeta {
  readonly page: number;
  readonly perPage: number;
  /** Rows that match; `gte` means "at least so many": counting stops at a limit. */
  readonly total: number;
  readonly totalRelation: "eq" | "gte";
  /** Number of pages; null where the total is not exact. */
  readonly pages: number | null;
}

/** Links relative to the origin; a page that does not exist has none. */
export interface PageLinks {
  readonly self: string;
  readonly first: string;
  readonly prev?: string;
  readonly next?: string;
  readonly last?: string;
}

/** @param counted Number of matching rows, counted up to one past `countLimit`. */
export function pageMeta({ page, perPage }: Page, counted: number, countLimit: number): PageMeta {
  const exact = counted <= countLimit;
  return {
    page,
    perPage,
    total: exact ? counted : countLimit,
    totalRelation: exact ? "eq" : "gte",
    pages: exact ? Math.ceil(counted / perPage) : null,
  };
}

/** The links of a page; everything else in the query string is kept as the client wrote it. */
export function pageLinks({ mount, path, query }: HttpRequest, { page, perPage }: Page, { total, pages }: PageMeta): PageLinks {
  const others = query.split("&").filter((part) => part !== "" && decodeQueryPart(part.split("=", 1)[0] ?? "") !== "page");
  const to = (number: number) => safeTarget(`${mount}${path}?${[...others, `page=${number}`].join("&")}`);
  const more = pages === null || page * perPage < total;
  return {
    self: safeTarget(`${mount}${path}${query === "" ? "" : `?${query}`}`),
    first: to(1),
    ...(page > 1 ? { prev: to(pages === null ? page - 1 : Math.max(1, Math.min(page - 1, pages))) } : {}),
    ...(more ? { next: to(page + 1) } : {}),
    ...(pages === null ? {} : { last: to(Math.max(1, pages)) }),
  };
}

/** Characters that would end a target in a `Link` header, and that no URI has (RFC 3986 §2). */
const outsideOfUris = /["<>\\^`{|}]/g;

function safeTarget(target: string): string {
  return target.replace(outsideOfUris, encodeURIComponent);
}

/** Clients and proxies refuse answers whose headers are large; the links stand in the body besides. */
const longestLinkHeader = 2_048;

/**
 * The links as a header; `undefined` where it would be too long.
 *
 * @see RFC 8288 §3
 */
export function linkHeader(links: PageLinks): string | undefined {
  const header = Object.entries(links)
    .map(([relation, target]) => `<${target}>; rel="${relation}"`)
    .join(", ");
  return header.length > longestLinkHeader ? undefined : header;
}
