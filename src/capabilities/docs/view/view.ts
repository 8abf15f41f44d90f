import type { Book } from "../reading/pages.js";
import type { Links } from "./links.js";

/** What every part of a page needs. */
export interface View {
  readonly book: Book;
  readonly links: Links;
}
