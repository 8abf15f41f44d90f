import { parseWeighted, type Weighted } from "./weighted.js";

/** A basic language range, in lower case. @see RFC 4647 §2.1 */
const languageRange = /^(?:\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)$/;

/**
 * Selects a language by look-up: the client's ranges in the order of their quality, each shortened from its end until a tag is found (`zh-Hant-CN` → `zh-Hant` → `zh`).
 * A range does not match longer tags. `*` stands for the first tag, and counts only if no other range matches. A tag is not selected if the longest range that contains
 * it has the quality 0.
 *
 * @param acceptLanguage The value of the Accept-Language header; without one, or if it is empty, the first tag is selected.
 * @param offered in the server's order of preference
 * @returns `undefined` if no range matches: the default is then up to the caller, as an answer in another language is better than none
 * @throws {ProblemError} MALFORMED_HEADER for a value of more than 2,048 bytes, or with more than 50 ranges
 * @see RFC 4647 §3.4
 * @example
 * selectLanguage("fr-CA, de;q=0.8", ["en", "de", "fr"]); // "fr"
 */
export function selectLanguage<const T extends string>(acceptLanguage: string | undefined, offered: readonly T[]): T | undefined {
  const listed = parseWeighted("Accept-Language", acceptLanguage);
  if (listed === undefined) return offered[0];
  const ranges = listed.filter(({ range }) => languageRange.test(range));
  const tags = new Map<string, T>();
  // Written backwards, so that the first of several equal tags counts.
  for (const tag of offered.toReversed()) if (!isExcluded(tag.toLowerCase(), ranges)) tags.set(tag.toLowerCase(), tag);
  const wanted = ranges.filter(({ quality }) => quality > 0).sort((left, right) => right.quality - left.quality);
  for (const { range } of wanted) {
    for (let shorter = range; shorter !== ""; shorter = shortened(shorter)) {
      const tag = tags.get(shorter);
      if (tag !== undefined) return tag;
    }
  }
  return wanted.some(({ range }) => range === "*") ? offered.find((tag) => tags.get(tag.toLowerCase()) === tag) : undefined;
}

/** Without its last subtag; a single letter or digit before it goes too, because it only introduces what follows. */
function shortened(range: string): string {
  const end = range.lastIndexOf("-");
  if (end === -1) return "";
  return range.charAt(end - 2) === "-" ? range.slice(0, end - 2) : range.slice(0, end);
}

/** Whether the longest range that contains the tag has the quality 0. */
function isExcluded(tag: string, ranges: readonly Weighted[]): boolean {
  let longest = 0;
  let best = 1;
  for (const { range, quality } of ranges) {
    const contains = tag === range || tag.startsWith(`${range}-`);
    if (!contains || range.length < longest) continue;
    best = range.length === longest ? Math.max(best, quality) : quality;
    longest = range.length;
  }
  return best === 0;
}
