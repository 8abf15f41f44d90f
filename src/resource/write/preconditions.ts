import { strongTag } from "../../conditional/etag.js";
import { checkPreconditions } from "../../conditional/precondition.js";
import type { View } from "../../fields/view.js";
import type { Context } from "../../operation/context.js";
import { ProblemError } from "../../problem/index.js";
import type { Row } from "../../storage/collection.js";
import type { Resource } from "../resource.js";

/**
 * Evaluates the preconditions of a write.
 *
 * @param row The current row; `undefined` if there is none.
 * @throws {ProblemError} PRECONDITION_REQUIRED, PRECONDITION_FAILED (with the current tag)
 */
export function requirePreconditions(context: Context, resource: Resource, row: Row | undefined, view: View): void {
  const { headers, request } = context;
  const current = row && { tag: strongTag(row._version, view.tag), updatedAt: row._updatedAt ?? undefined };
  const outcome = checkPreconditions({ method: request.method, headers, current, acceptWeakIfMatch: resource.acceptWeakIfMatch });
  if (outcome === "failed") throw preconditionFailed(row, view);
  if (resource.requireIfMatch && row !== undefined && headers.get("if-match") === undefined) {
    throw new ProblemError("PRECONDITION_REQUIRED", `${request.method} in "${resource.name}" needs If-Match with the ETag of the resource.`, {
      headers: currentTag(row, view),
    });
  }
}

/** @param row The current row, whose tag is in the response. */
export function preconditionFailed(row: Row | undefined, view: View): ProblemError {
  const detail =
    row === undefined ? "The resource does not exist, and the request requires one." : "The resource is not in the state that the request requires.";
  return new ProblemError("PRECONDITION_FAILED", detail, { headers: row ? currentTag(row, view) : {} });
}

/** The problem for `If-None-Match: *` if a unique key is taken. */
export function existsAlready(): ProblemError {
  return new ProblemError("PRECONDITION_FAILED", "The resource already exists.");
}

function currentTag(row: Row, view: View): { etag: string } {
  return { etag: strongTag(row._version, view.tag) };
}
