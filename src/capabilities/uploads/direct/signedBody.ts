import type { RequestHeaders } from "../../../ground/http/headers/headers.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { declaredTypeOf } from "../../../parts/checks/readCheckInput.js";
import { refuseCoding } from "../plain/contentCoding.js";

/** Requirements on a body. */
export interface SignedBody {
  readonly contentType?: string | undefined;
  /** In bytes. */
  readonly size?: number | undefined;
}

/**
 * Validates by the headers alone that a body can match what its URL was signed for. Parameters of the media type are ignored.
 *
 * @throws {ProblemError} LENGTH_REQUIRED, FILE_TOO_LARGE for another length, UNSUPPORTED_MEDIA_TYPE for another type or a content coding
 */
export function validateSignedBody(headers: Pick<RequestHeaders, "get">, { contentType, size }: SignedBody): void {
  refuseCoding(headers);
  const length = headers.get("content-length");
  if (length === undefined) throw new ProblemError("LENGTH_REQUIRED", `The header "Content-Length" is required.`);
  // Number() also accepts `0x5`, which is invalid in Content-Length.
  if (size !== undefined && (!/^\d+$/.test(length) || Number(length) !== size)) throw lengthMismatch(size);
  const sent = headers.get("content-type");
  if (contentType === undefined || declaredTypeOf(sent) === declaredTypeOf(contentType)) return;
  const got = sent === undefined ? "no Content-Type was sent" : `got "${sent.slice(0, 64)}"`;
  throw new ProblemError("UNSUPPORTED_MEDIA_TYPE", `The address was signed for a body of ${contentType}; ${got}.`, {
    extensions: { supported: [contentType] },
  });
}

/**
 * Passes the chunks through, and fails if their total size is not `size`: `Content-Length` may be wrong.
 *
 * @throws {ProblemError} FILE_TOO_LARGE, UPLOAD_INCOMPLETE at the end if bytes are missing
 */
export async function* requireExactLength(size: number, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let seen = 0;
  for await (const chunk of source) {
    seen += chunk.length;
    if (seen > size) throw lengthMismatch(size);
    yield chunk;
  }
  if (seen < size) throw new ProblemError("UPLOAD_INCOMPLETE", `${seen} of ${size} bytes arrived; they were discarded.`);
}

/** The problem for a body of another length. */
export function lengthMismatch(size: number): ProblemError {
  return new ProblemError("FILE_TOO_LARGE", `The address was signed for a body of exactly ${size} bytes.`, { extensions: { limit: size } });
}
