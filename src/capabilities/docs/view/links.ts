import type { Book, PageName } from "../reading/pages.js";
import { pageOfTag } from "../reading/pages.js";

/** Addresses relative to one page, so that they hold wherever the service is mounted, also behind a proxy that adds a prefix. */
export interface Links {
  /** Where the paths of the service begin: `./` or `../`. */
  readonly root: string;
  page(page: PageName, anchor?: string): string;
  operation(operation: { readonly id: string; readonly tag: string }): string;
  /** `undefined` for a schema that no page has. */
  schema(name: string): string | undefined;
  asset(path: string): string;
}

/**
 * The links of a page.
 *
 * @param path of the first page below the mount, such as `/docs`
 */
export function linksFrom(book: Book, path: string, page: PageName): Links {
  const name = path.slice(path.lastIndexOf("/") + 1);
  // `/docs` is in the folder of `docs`; `/docs/tags/users` is two folders below.
  const up = "../".repeat(page === "" ? 0 : page.split("/").length);
  const pageAt = (to: PageName, anchor?: string) => {
    const fragment = anchor === undefined ? "" : `#${encodeURIComponent(anchor)}`;
    if (to === page && fragment !== "") return fragment;
    return `${up}${[name, ...to.split("/")]
      .filter((part) => part !== "")
      .map(encodeURIComponent)
      .join("/")}${fragment}`;
  };
  return {
    root: `${up}${"../".repeat(path.split("/").length - 2)}` || "./",
    page: pageAt,
    operation: ({ id, tag }) => pageAt(pageOfTag(book, tag), id),
    schema(schema) {
      const at = book.pageOfSchema.get(schema);
      return at === undefined ? undefined : pageAt(at, schemaAnchor(schema));
    },
    asset: (asset) => `${up}${name}/assets/${asset}`,
  };
}

/** Anchors that are not names of operations have a colon, which those do not have. */
export const schemaAnchor = (name: string): string => `schema:${name}`;
export const tagAnchor = (name: string): string => `tag:${name}`;
export const webhookAnchor = (name: string): string => `webhook:${name}`;
