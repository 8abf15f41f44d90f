import { createHash } from "node:crypto";
import { RecentlyUsed } from "../http/recentlyUsed.js";
import type { SentDocument } from "../operation/sentDocuments.js";
import { makeAsset } from "./assets/asset.js";
import { pageScript, pageStyle } from "./assets/bundled.js";
import { pageHeaders } from "./policy.js";
import { type Book, hasPage, openBook } from "./reading/pages.js";
import type { Spec } from "./reading/spec.js";
import type { DocsUi } from "./ui.js";
import { renderPage } from "./view/page.js";

/** Callers with the same rights get the same document, and the same pages. A large document takes some megabytes. */
const maxBooks = 4;
const maxPages = 64;

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
  const books = new RecentlyUsed<Book>(maxBooks);
  const pages = new RecentlyUsed<SentDocument>(maxPages);
  const bookOf = ({ text, etag }: SentDocument): Book => {
    const known = books.get(etag) ?? openBook(JSON.parse(text) as Spec);
    books.set(etag, known);
    return known;
  };
  return {
    assets: [style, script],
    headers: pageHeaders({ tryIt, trustedTypes: true }),
    hasMorePages: true,
    page(document, name) {
      const key = `${document.etag} ${name}`;
      const known = pages.get(key);
      if (known !== undefined) return known;
      const book = bookOf(document);
      if (!hasPage(book, name)) return undefined;
      const page = tagged(renderPage(book, name, { path, documentPath, tryIt, style, script }));
      pages.set(key, page);
      return page;
    },
  };
}

/** A page with its strong entity tag. */
export function tagged(text: string): SentDocument {
  return { text, etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"` };
}
