import { ProblemError } from "../../problem/index.js";
import type { HttpRequest } from "../message.js";

/**
 * Rejects a body that a body parser of the host has already parsed, because the raw bytes are lost.
 *
 * @throws {ProblemError} INTERNAL
 */
export function requireRaw({ body }: Pick<HttpRequest, "body">): void {
  if (body.kind === "parsed") throw alreadyRead("a body parser has already parsed it");
}

/** The response contains the detail too, because this is a configuration error that developers see when they first test their server. */
export function alreadyRead(why: string): ProblemError {
  return new ProblemError(
    "INTERNAL",
    `A body parser of this server has read the body before restwright: ${why}. Mount restwright before body parsers.`,
  );
}
