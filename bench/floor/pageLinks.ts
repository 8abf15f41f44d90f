/** Links of a page; everything else in the query string is kept. */
export function pageLinks(url: string, page: number, pages: number): Record<string, string> {
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? "" : url.slice(mark + 1);
  const others = query.split("&").filter((part) => part !== "" && !part.startsWith("page="));
  const to = (number: number) => `${path}?${[...others, `page=${number}`].join("&")}`;
  const links: Record<string, string> = { self: url, first: to(1) };
  if (page > 1) links["prev"] = to(Math.max(1, Math.min(page - 1, pages)));
  if (page < pages) links["next"] = to(page + 1);
  links["last"] = to(Math.max(1, pages));
  return links;
}
