import { closest } from "../../../ground/problem/closest.js";

/** What other APIs call the words of this one, in lower case and without signs: `page_size`, `$top` and `page[limit]` are `pagesize`, `top` and `pagelimit`. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  perPage: ["limit", "pagesize", "pagelimit", "perpage", "size", "take", "top", "first", "maxresults", "maxitems"],
  page: ["offset", "pageoffset", "pagenumber", "pageindex", "pageno", "skip", "start"],
  cursor: ["pagetoken", "nexttoken", "nextpagetoken", "continuationtoken", "startingafter", "after", "pagecursor", "pageafter"],
  sort: ["order", "orderby", "sortby", "ordering"],
  fields: ["select", "projection", "attributes", "columns"],
  include: ["embed", "populate", "with"],
  q: ["query", "searchterm"],
};

const maxNameLength = 32;

/**
 * The known name that was probably meant: one that differs in its case only, the one for what other APIs call so, or one within two edits.
 *
 * @param known the names that a hint may show
 */
export function meantName(name: string, known: readonly string[]): string | undefined {
  return closest(name, known, 0) ?? byOtherName(name, known) ?? closest(name, known);
}

function byOtherName(name: string, known: readonly string[]): string | undefined {
  if (name.length > maxNameLength) return undefined;
  const plain = name.toLowerCase().replace(/[^a-z]/g, "");
  return known.find((word) => Object.hasOwn(otherNames, word) && otherNames[word]?.includes(plain));
}
