import { parseTags } from "../conditional/etag.js";
import { parseHttpDate } from "../http/dates.js";

/** What the bytes are known by. */
export interface Validators {
  /** Strong, with its quotes. */
  readonly tag: string;
  readonly lastModified: Date;
}

/**
 * Whether the range that was asked for is still of the same bytes: the tag in If-Range is the strong one that they have, or the date is exactly theirs. Whatever
 * else it says, the whole is answered.
 *
 * A date is taken for a strong validator, as bytes never change under one key.
 *
 * @see RFC 9110 §13.1.5
 */
export function matchesIfRange(header: string | undefined, { tag, lastModified }: Validators): boolean {
  if (header === undefined) return true;
  const dateMs = parseHttpDate(header);
  if (dateMs !== undefined) return dateMs === Math.floor(lastModified.getTime() / 1_000) * 1_000;
  const tags = parseTags(header);
  if (tags === undefined || tags === "*" || tags.length !== 1) return false;
  const [given] = tags;
  return given !== undefined && !given.weak && `"${given.opaque}"` === tag;
}
