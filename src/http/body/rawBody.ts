import { ProblemError } from "../../problem/index.js";
import type { RequestHeaders } from "../headers.js";
import type { HttpRequest } from "../message.js";

/**
 * Rejects a body that a body parser of the host has already parsed, because the raw bytes are lost.
 *
 * @throws {ProblemError} INTERNAL
 */
export function requireRaw({ body }: Pick<HttpRequest, "body">): void {
  if (body.kind === "parsed") throw alreadyRead("a body parser has already parsed it");
}

/**
 * Passes the chunks through, and fails at the end if their size differs from Content-Length. After a body parser of the host has read a body, the chunks may
 * be empty or re-encoded text.
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
  if (announced !== undefined && Number(announced) !== size) throw alreadyRead(`${size} bytes arrived, but ${announced.slice(0, 20)} were announced`);
}

/** The response contains the detail too, because this is a configuration error that developers see when they first test their server. */
export function alreadyRead(why: string): ProblemError {
  return new ProblemError(
    "INTERNAL",
    `A body parser of this server has read the body before restwright: ${why}. Mount restwright before body parsers.`,
  );
}
