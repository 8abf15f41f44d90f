import { ProblemError } from "../../../ground/problem/index.js";
import type { Row } from "../../../ground/storage/collection.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { strongTag } from "../../../language/conditional/etag.js";
import { checkPreconditions, requiredVersions } from "../../../language/conditional/precondition.js";
import type { View } from "../../../language/fields/view.js";
import { type Context, readCall } from "../../operation/context.js";
import type { Resource } from "../resource.js";

/**
 * Evaluates the preconditions of a write. A tag that another release of the program gave for the row as it stands is one of the row.
 *
 * @param row The current row; `undefined` if there is none.
 * @throws {ProblemError} PRECONDITION_REQUIRED, PRECONDITION_FAILED (with the current tag)
 */
export function requirePreconditions(context: Context, resource: Resource, row: Row | undefined, view: View): void | Promise<void> {
  const { headers, request } = context;
  const failsFor = (version: string | undefined) => {
    const current = version === undefined ? undefined : { tag: strongTag(version, view.tag), updatedAt: row?._updatedAt ?? undefined };
    return checkPreconditions({ method: request.method, headers, current, acceptWeakIfMatch: resource.acceptWeakIfMatch }) === "failed";
  };
  if (failsFor(row?._version)) {
    if (row === undefined || headers.get("if-match") === undefined) throw preconditionFailed(row, view);
    return earlierVersionOf(context, resource, row).then((earlier) => {
      if (earlier === undefined || failsFor(earlier)) throw preconditionFailed(row, view);
    });
  }
  if (resource.requireIfMatch && row !== undefined && headers.get("if-match") === undefined) {
    throw new ProblemError("PRECONDITION_REQUIRED", `${request.method} in "${resource.name}" needs If-Match with the ETag of the resource.`, {
      headers: currentTag(row, view),
    });
  }
}

/** The version in If-Match that another release of the program made of the row as it stands. */
async function earlierVersionOf(context: Context, resource: Resource, row: Row): Promise<string | undefined> {
  const rows = context.environment.schemaRows(resource.name);
  const id = row[resource.id.name] as Id;
  for (const earlier of requiredVersions(context.headers, resource.acceptWeakIfMatch)) {
    if (await rows.isSameVersion(id, { current: row._version, earlier }, readCall(context))) return earlier;
  }
  return undefined;
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
