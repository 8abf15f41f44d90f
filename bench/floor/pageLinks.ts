import { offsetLimit } from "./schema.js";

/** What a list says of itself. */
export interface PageMeta {
  /** Null where the page was found by a cursor. */
  readonly page: number | null;
  readonly perPage: number;
  readonly total: number;
  readonly totalRelation: "eq" | "gte";
  readonly pages: number | null;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
}

/** Links of a page, by numbers as far as they go, otherwise by cursors; everything else in the query string is kept. */
export function pageLinks(url: string, { page, perPage, pages, nextCursor, prevCursor }: PageMeta): Record<string, string> {
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? "" : url.slice(mark + 1);
  const others = query.split("&").filter((part) => part !== "" && !part.startsWith("page=") && !part.startsWith("cursor="));
  const to = (...place: readonly string[]) => {
    const parts = [...others, ...place].join("&");
    return parts === "" ? path : `${path}?${parts}`;
  };
  const links: Record<string, string> = { self: url };
  if (page === null) {
    links["first"] = to();
    if (prevCursor !== null) links["prev"] = to(`cursor=${prevCursor}`);
    if (nextCursor !== null) links["next"] = to(`cursor=${nextCursor}`);
    return links;
  }
  const reachable = (number: number) => (number - 1) * perPage < offsetLimit;
  links["first"] = to("page=1");
  if (page > 1) links["prev"] = to(`page=${pages === null ? page - 1 : Math.max(1, Math.min(page - 1, pages))}`);
  if (nextCursor !== null) links["next"] = to(reachable(page + 1) ? `page=${page + 1}` : `cursor=${nextCursor}`);
  if (pages !== null && reachable(pages)) links["last"] = to(`page=${Math.max(1, pages)}`);
  return links;
}
