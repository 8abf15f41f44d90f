import type { HttpRequest } from "../../../ground/http/message.js";
import { decodeQueryPart } from "../../../language/query/grammar/decode.js";
import type { Environment } from "../../operation/environment.js";
import type { ListMeta } from "./envelope.js";
import type { ListPage } from "./listPage.js";

/** Links relative to the origin; a page that does not exist has no link. A search in a body has no links at all. */
export interface ListLinks {
  readonly self?: string | undefined;
  readonly first?: string | undefined;
  readonly prev?: string | undefined;
  readonly next?: string | undefined;
  readonly last?: string | undefined;
}

/**
 * The links of a page; everything else in the query string but credentials is kept as the client wrote it.
 *
 * Pages are linked by number up to the offset limit, then by cursors; a page that was read by a cursor links by cursors.
 */
export function listLinks(
  { mount, path, query }: HttpRequest,
  { hasNext }: ListPage,
  meta: ListMeta,
  { limits, lists }: Pick<Environment, "limits" | "lists">,
): ListLinks {
  const own = query.split("&").filter((part) => !lists.isCredential(nameOf(part)));
  const others = own.filter((part) => part !== "" && !isPlace(nameOf(part)));
  const target = (parts: readonly string[]) => safeTarget(`${mount}${path}${parts.join("") === "" ? "" : `?${parts.join("&")}`}`);
  const to = (...place: readonly string[]) => target([...others, ...place]);
  const byNumber = (page: number) => ((page - 1) * meta.perPage < limits.offset ? to(`page=${page}`) : undefined);
  const byCursor = (cursor: string | null) => (cursor === null ? undefined : to(`cursor=${cursor}`));
  const { page, pages, nextCursor, prevCursor } = meta;
  return {
    self: target(own),
    first: page === null ? to() : byNumber(1),
    prev: page === null ? byCursor(prevCursor) : previous(page, pages, byNumber),
    next: page === null ? byCursor(nextCursor) : hasNext ? (byNumber(page + 1) ?? byCursor(nextCursor)) : undefined,
    last: page === null || pages === null ? undefined : byNumber(Math.max(1, pages)),
  };
}

/** Beyond the end, `prev` is the last page. */
function previous(page: number, pages: number | null, byNumber: (page: number) => string | undefined): string | undefined {
  if (page <= 1) return undefined;
  return byNumber(pages === null ? page - 1 : Math.max(1, Math.min(page - 1, pages)));
}

/** The name of a parameter, as parsers of the query read it. */
function nameOf(part: string): string {
  return decodeQueryPart(part.split("=", 1)[0] ?? "");
}

function isPlace(name: string): boolean {
  return name === "page" || name === "cursor";
}

/** Characters that would end a target in a `Link` header, and that are invalid in a URI (RFC 3986 §2). */
const outsideOfUris = /["<>\\^`{|}]/g;

function safeTarget(target: string): string {
  return target.replace(outsideOfUris, encodeURIComponent);
}

/** Clients and proxies refuse responses with large headers; the links are also in the body. */
const maxLinkHeader = 2_048;

/**
 * The links as a header; `undefined` if there are none, or it would be too long.
 *
 * @see RFC 8288 §3
 */
export function linkHeader(links: ListLinks): string | undefined {
  const header = Object.entries(links)
    .flatMap(([relation, target]) => (target === undefined ? [] : `<${target}>; rel="${relation}"`))
    .join(", ");
  return header.length > maxLinkHeader || header === "" ? undefined : header;
}
