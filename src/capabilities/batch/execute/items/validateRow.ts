import type { Context } from "../../../../engine/operation/context.js";
import type { Permit } from "../../../../engine/operation/permit.js";
import { noSuchRow } from "../../../../engine/resource/read/identify.js";
import { singleView } from "../../../../engine/resource/read/respond.js";
import type { Resource } from "../../../../engine/resource/resource.js";
import { permitFields } from "../../../../engine/resource/write/permitFields.js";
import { requirePreconditions } from "../../../../engine/resource/write/preconditions.js";
import { requireChangeable } from "../../../../engine/resource/write/requireChangeable.js";
import { ProblemError } from "../../../../ground/problem/index.js";
import type { Row } from "../../../../ground/storage/collection.js";
import type { Id } from "../../../../ground/storage/values/scalar.js";

/** The row of an item, and the permission to change it. */
export interface ValidatedRow {
  readonly row: Row;
  readonly permit: Permit;
}

/**
 * Evaluates permission and preconditions of an item, as for a separate request.
 *
 * @param context the context of the item
 * @throws {ProblemError} NOT_FOUND, FORBIDDEN, PRECONDITION_REQUIRED, PRECONDITION_FAILED
 */
export async function validateRow(
  resource: Resource,
  context: Context,
  {
    id,
    row,
    action,
    fields,
  }: { readonly id: Id; readonly row: Row | undefined; readonly action: "update" | "remove"; readonly fields?: readonly string[] },
): Promise<ValidatedRow> {
  const permit = row === undefined ? undefined : await (fields === undefined ? context.permit : permitFields(context, resource, action, fields));
  if (row === undefined || permit === undefined) throw noSuchRow(resource, id);
  await requireChangeable(context, resource, action, row);
  if (resource.requireIfMatch && context.headers.get("if-match") === undefined) {
    throw new ProblemError("PRECONDITION_REQUIRED", `An item of "${resource.name}" needs "ifMatch" with the ETag of its resource.`);
  }
  await requirePreconditions(context, resource, row, singleView(resource, context, permit));
  return { row, permit };
}
