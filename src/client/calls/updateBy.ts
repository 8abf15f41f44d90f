import type { ChangeBy, ResourceCalls } from "../collection.js";
import { PreconditionFailedError } from "../errors.js";
import type { GuardedOptions } from "../options.js";
import type { RowId } from "../parameters.js";

/** How often the function is called again after another write came first. */
const maxRepeats = 3;

/**
 * Reads the row, and writes what the function makes of it if the row has not changed meanwhile.
 *
 * @throws {PreconditionFailedError} with the row as it is then
 */
export async function updateBy(
  { get, update }: Pick<ResourceCalls, "get" | "update">,
  id: RowId,
  change: ChangeBy,
  { idempotencyKey: _, ifMatch: __, ...options }: GuardedOptions,
): Promise<unknown> {
  for (let repeats = 0; ; repeats += 1) {
    const row = (await get(id, options as object)) as object;
    try {
      return await update(id, await change(row as never), { ...options, ifMatch: row });
    } catch (error) {
      if (!(error instanceof PreconditionFailedError)) throw error;
      if (repeats < maxRepeats) continue;
      error.current = await get(id, options as object);
      throw error;
    }
  }
}
