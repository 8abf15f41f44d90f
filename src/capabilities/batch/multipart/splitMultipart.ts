import { ProblemError } from "../../../ground/problem/index.js";
import { invalidBatch } from "../invalidBatch.js";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const dash = 0x2d;

/** The start of a boundary line, its kind, and the start of the next line. */
interface BoundaryLine {
  readonly start: number;
  readonly next: number;
  readonly isClosing: boolean;
}

/**
 * Splits a multipart body into its parts, each with head and content. Nothing is copied: a part is a view of the body.
 *
 * Lenient: lines may end in a bare LF (Python's `email`), whitespace may follow a boundary, preamble and epilogue are skipped, a part may be empty.
 * Strict: the closing boundary is required, so that a truncated body executes nothing; and a line that begins with the boundary but continues is
 * rejected, because the RFC allows other parsers to treat it as a boundary.
 *
 * @throws {ProblemError} INVALID_BATCH, EMPTY_BATCH, BATCH_TOO_LARGE (with `maximum`) at the first part beyond the limit
 * @see RFC 2046 §5.1.1
 */
export function splitMultipart(bytes: Uint8Array, boundary: string, maxOperations: number): readonly Uint8Array[] {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Uint8Array[] = [];
  let line = findBoundary(body, boundary, 0);
  if (line === undefined) throw invalidBatch("The boundary of the Content-Type does not begin any line of the body.");
  while (!line.isClosing) {
    if (parts.length === maxOperations) throw tooLarge(maxOperations);
    // The line break before a boundary belongs to the boundary, and an empty part may share it with the boundary before.
    const next = findBoundary(body, boundary, line.next - 1);
    if (next === undefined) throw invalidBatch(`The part that begins at byte ${line.next} does not end: the closing boundary is missing.`);
    parts.push(body.subarray(line.next, Math.max(line.next, endBefore(body, next.start))));
    line = next;
  }
  if (parts.length === 0) throw new ProblemError("EMPTY_BATCH", "The multipart body has no parts.");
  return parts;
}

/** The first boundary line at or after `from`, which is 0 or the index of a line feed. */
function findBoundary(body: Buffer, boundary: string, from: number): BoundaryLine | undefined {
  const delimiter = `--${boundary}`;
  if (from === 0 && body.subarray(0, delimiter.length).equals(Buffer.from(delimiter, "latin1"))) return readBoundary(body, 0, delimiter.length);
  const at = body.indexOf(`\n${delimiter}`, from, "latin1");
  return at === -1 ? undefined : readBoundary(body, at + 1, at + 1 + delimiter.length);
}

/** Parses the rest of a boundary line: `--` if it is the closing one, whitespace, and the end of the line. */
function readBoundary(body: Buffer, start: number, end: number): BoundaryLine | undefined {
  const isClosing = body[end] === dash && body[end + 1] === dash;
  let at = isClosing ? end + 2 : end;
  while (body[at] === 0x20 || body[at] === 0x09) at += 1;
  if (body[at] === carriageReturn && body[at + 1] === lineFeed) at += 1;
  if (body[at] === lineFeed) return { start, next: at + 1, isClosing };
  if (at < body.length) throw invalidBatch(`The line at byte ${start} begins with the boundary but continues; no line of a part may begin with it.`);
  // A body may end with its closing boundary; after any other boundary a part is missing.
  return isClosing ? { start, next: at, isClosing } : undefined;
}

/** The end of the part before the boundary line at `start`: the line break belongs to the boundary. */
function endBefore(body: Buffer, start: number): number {
  return body[start - 2] === carriageReturn ? start - 2 : start - 1;
}

function tooLarge(maximum: number): ProblemError {
  return new ProblemError("BATCH_TOO_LARGE", `The batch has more than ${maximum} operations.`, { extensions: { maximum } });
}
