import type { Context } from "../../../../engine/operation/context.js";
import type { Resource } from "../../../../engine/resource/resource.js";
import { permitCreate, type ValidatedCreate } from "../../../../engine/resource/write/create.js";
import { writableMembers } from "../../../../engine/resource/write/members.js";
import { newRow } from "../../../../engine/resource/write/newRow.js";
import { whenReady } from "../../../../ground/http/whenReady.js";
import { requireSingleBody } from "../../plan/requireSingleBody.js";
import { usable } from "../../plan/unusableItem.js";

/**
 * Validates an item of a batch like the body of a separate POST; without a promise if nothing has to be awaited.
 *
 * @param context the context of the item
 * @param now the instant of the write: rows that are written at once have the same one, which stores are sent once
 * @throws {ProblemError} PAYLOAD_TOO_LARGE, MALFORMED_JSON, VALIDATION_FAILED, FORBIDDEN, FORBIDDEN_FIELD, NOT_FOUND; before it returns a promise, or by rejecting it
 */
export function validateNewItem(resource: Resource, context: Context, item: unknown, now: Date): ValidatedCreate | Promise<ValidatedCreate> {
  const body = usable(item);
  const create = (permit: ValidatedCreate["permit"]) =>
    whenReady(newRow(resource, context, writableMembers(resource, body, context, permit), now), (row) => ({ row, permit }));
  return whenReady(requireSingleBody(body, context.environment.limits), () => whenReady(permitCreate(resource, context, body), create));
}
