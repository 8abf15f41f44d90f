import type { Context } from "../../../../engine/operation/context.js";
import type { Resource } from "../../../../engine/resource/resource.js";
import { type ValidatedCreate, validateCreate } from "../../../../engine/resource/write/create.js";
import { requireSingleBody } from "../../plan/requireSingleBody.js";
import { usable } from "../../plan/unusableItem.js";

/**
 * Validates an item of a batch like the body of a separate POST.
 *
 * @param context the context of the item
 * @throws {ProblemError} PAYLOAD_TOO_LARGE, MALFORMED_JSON, and what {@link validateCreate} throws
 */
export async function validateNewItem(resource: Resource, context: Context, item: unknown): Promise<ValidatedCreate> {
  const body = usable(item);
  await requireSingleBody(body, context.environment.limits);
  return validateCreate(resource, context, body);
}
