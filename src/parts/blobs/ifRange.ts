import { parseHttpDate } from "../../ground/http/headers/dates.js";
import { parseTags } from "../../language/conditional/etag.js";

/** The validators of the bytes. */
export interface Validators {
  /** Strong, with its quotes. */
  readonly tag: string;
  readonly lastModified: Date;
}

/**
 * Whether a requested range is still valid: If-Range has the strong tag of the bytes, or exactly their date. For any other value
 * the response is the whole.
 *
 * A date counts as a strong validator, because bytes never change under one key.
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
