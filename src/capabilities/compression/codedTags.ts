import { parseTags } from "../../language/conditional/etag.js";
import type { Coding } from "./coders.js";

/**
 * The tag of a coded answer: `"v"` becomes `"v.gzip"`, because the same bytes must have the same strong tag. The version before the first dot stays, so that the tag still
 * fits `If-Match`.
 *
 * @see RFC 9110 §8.8.3.3
 */
export function codedTag(tag: string, coding: Coding): string {
  return tag.endsWith('"') ? `${tag.slice(0, -1)}.${coding}"` : tag;
}

const codedTags = /\.(br|gzip|zstd)"/g;

/** Whether a value of If-None-Match has tags of coded answers. */
export function hasCodedTags(ifNoneMatch: string): boolean {
  return ifNoneMatch.search(codedTags) !== -1;
}

/**
 * Removes the codings from the tags in If-None-Match. Only those that the client accepts: for another client, the coded answer in a cache is not the answer.
 *
 * @param accepts whether the client accepts a coding
 */
export function plainTags(ifNoneMatch: string, accepts: (coding: Coding) => boolean): string {
  return ifNoneMatch.replace(codedTags, (suffix, coding: Coding) => (accepts(coding) ? '"' : suffix));
}

/**
 * The tag of a 304: the one that the client holds.
 *
 * @param tag the tag without a coding
 * @param ifNoneMatch as the client sent it
 * @param codings those that the client accepts, the preferred one first
 * @see RFC 9110 §15.4.5
 */
export function heldTag(tag: string, ifNoneMatch: string, codings: readonly Coding[]): string {
  const held = parseTags(ifNoneMatch);
  if (held === undefined || held === "*") return tag;
  const opaques = new Set(held.map(({ opaque }) => `"${opaque}"`));
  const possible = codings.map((coding) => codedTag(tag, coding));
  return possible.find((each) => opaques.has(each.replace("W/", ""))) ?? tag;
}
