import type { RequestHeaders } from "../../http/headers.js";
import { ProblemError } from "../../problem/index.js";
import { declaredTypeOf } from "../checks/readCheckInput.js";
import { refuseCoding } from "../plain/contentCoding.js";

/** What a body has to be. */
export interface AnnouncedBody {
  readonly contentType?: string | undefined;
  /** In bytes. */
  readonly size?: number | undefined;
}

/**
 * Judges by the headers alone whether a body can be the one that an address was signed for. Of the type its parameters do not count.
 *
 * @throws {ProblemError} LENGTH_REQUIRED, FILE_TOO_LARGE for another length, UNSUPPORTED_MEDIA_TYPE for another type or a content coding
 */
export function requireAnnounced(headers: Pick<RequestHeaders, "get">, { contentType, size }: AnnouncedBody): void {
  refuseCoding(headers);
  const length = headers.get("content-length");
  if (length === undefined) throw new ProblemError("LENGTH_REQUIRED", "The request must say how long its body is, by Content-Length.");
  // `0x5` would be a number as well, but not for whoever counts the bytes of a body.
  if (size !== undefined && (!/^\d+$/.test(length) || Number(length) !== size)) throw otherLength(size);
  const sent = headers.get("content-type");
  if (contentType === undefined || declaredTypeOf(sent) === declaredTypeOf(contentType)) return;
  const got = sent === undefined ? "no Content-Type was sent" : `got "${sent.slice(0, 64)}"`;
  throw new ProblemError("UNSUPPORTED_MEDIA_TYPE", `The address was signed for a body of ${contentType}; ${got}.`, {
    extensions: { supported: [contentType] },
  });
}

/**
 * The same chunks, as long as they are so many bytes together: `Content-Length` may have said something else.
 *
 * @throws {ProblemError} FILE_TOO_LARGE, UPLOAD_INCOMPLETE at the end of too few
 */
export async function* exactly(size: number, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let seen = 0;
  for await (const chunk of source) {
    seen += chunk.length;
    if (seen > size) throw otherLength(size);
    yield chunk;
  }
  if (seen < size) throw new ProblemError("UPLOAD_INCOMPLETE", `Of ${size} bytes ${seen} have come; nothing of them was kept.`);
}

/** What is said of a body of another length. */
export function otherLength(size: number): ProblemError {
  return new ProblemError("FILE_TOO_LARGE", `The address was signed for a body of exactly ${size} bytes.`, { extensions: { limit: size } });
}
