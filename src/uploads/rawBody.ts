import type { RequestHeaders } from "../http/headers.js";
import type { HttpRequest } from "../http/message.js";
import { ProblemError } from "../problem/index.js";

/**
 * Refuses a body that a parser of the host has made something of: the bytes that were sent are gone.
 *
 * @throws {ProblemError} INTERNAL
 */
export function requireRaw({ body }: Pick<HttpRequest, "body">): void {
  if (body.kind === "parsed") throw alreadyRead("a body parser has made something else of it");
}

/**
 * The same chunks, which must be as many bytes as were announced: hosts whose parsers have read a body may have nothing left of it, or text that was made of it.
 *
 * @throws {ProblemError} INTERNAL, at the end
 */
export async function* wholeBody(chunks: AsyncIterable<Uint8Array>, headers: RequestHeaders): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    yield chunk;
  }
  const announced = headers.get("content-length");
  if (announced !== undefined && Number(announced) !== size)
    throw alreadyRead(`${size} bytes are there, and ${announced.slice(0, 20)} were announced`);
}

/** Said in the answer as well: whoever meets it first is trying out the server that they have just set up. */
export function alreadyRead(why: string): ProblemError {
  return new ProblemError(
    "INTERNAL",
    `A body parser of this server has read the body before restwright: ${why}. Mount restwright before body parsers.`,
  );
}
