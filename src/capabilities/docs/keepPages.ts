import { createHash } from "node:crypto";
import type { SentDocument } from "../../engine/operation/answers/sentDocuments.js";
import { RecentlyUsed } from "../../ground/http/recentlyUsed.js";
import type { PageName } from "./reading/pages.js";
import type { DocsUi } from "./ui.js";

const maxPages = 64;

/**
 * Keeps the last pages with their strong entity tags. Callers with the same rights get the same document, and the same pages. Those who ask while a page is made wait for it.
 *
 * @param render the text of a page; `undefined` if the document has none of this name
 */
export function keepPages(render: (document: SentDocument, name: PageName) => Promise<string | undefined> | string | undefined): DocsUi["page"] {
  const pages = new RecentlyUsed<SentDocument>(maxPages);
  const coming = new Map<string, Promise<SentDocument | undefined>>();
  const make = async (document: SentDocument, name: PageName, key: string): Promise<SentDocument | undefined> => {
    const text = await render(document, name);
    if (text === undefined) return undefined;
    const page = { text, etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"` };
    pages.set(key, page);
    return page;
  };
  return async (document, name) => {
    const key = `${document.etag} ${name}`;
    const known = pages.get(key) ?? coming.get(key);
    if (known !== undefined) return known;
    const page = make(document, name, key).finally(() => coming.delete(key));
    coming.set(key, page);
    return page;
  };
}
