import type { SentDocument } from "../../engine/operation/answers/sentDocuments.js";
import { RecentlyUsed } from "../../ground/http/recentlyUsed.js";
import { makeAsset } from "./assets/asset.js";
import { pageScript, pageStyle } from "./assets/bundled.js";
import { keepPages } from "./keepPages.js";
import { pageHeaders } from "./policy.js";
import { type Book, hasPage, openBook } from "./reading/pages.js";
import type { DocsUi } from "./ui.js";
import { renderPage } from "./view/page.js";

/** A large document takes some megabytes. */
const maxBooks = 4;

/** The pages of this package. */
export function ownUi({
  path,
  documentPath,
  tryIt,
}: {
  readonly path: string;
  readonly documentPath: string | false;
  readonly tryIt: boolean;
}): DocsUi {
  const style = makeAsset("page.css", pageStyle);
  const script = makeAsset("page.js", pageScript);
  const books = new RecentlyUsed<Promise<Book>>(maxBooks);
  const bookOf = ({ text, etag }: SentDocument): Promise<Book> => {
    const known = books.get(etag);
    if (known !== undefined) return known;
    const book = openBook(text);
    books.set(etag, book);
    return book;
  };
  return {
    assets: [style, script],
    headers: pageHeaders({ tryIt, trustedTypes: true }),
    hasMorePages: true,
    page: keepPages(async (document, name) => {
      const book = await bookOf(document);
      return hasPage(book, name) ? renderPage(book, name, { path, documentPath, tryIt, style, script }) : undefined;
    }),
  };
}
