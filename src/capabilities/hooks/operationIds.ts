import { stableIdOf } from "../../engine/operation/ids/stableId.js";
import type { HookedWrite } from "../../engine/operation/write/rowHooks.js";
import { itemOf } from "../../engine/operation/write/writeMarks.js";

/**
 * The id of the write of one row: the same in each attempt of its operation. It contains nothing that an attempt makes or reads anew, such as a version.
 *
 * @param values what is written; its item names it among those of its batch or import
 * @param before the row before the write; `undefined` if it is new
 */
export function operationIdOf(
  { writer, model }: HookedWrite,
  values: object | undefined,
  before: Readonly<Record<string, unknown>> | undefined,
): string {
  const operation = stableIdOf(writer);
  const item = values && itemOf(values);
  if (item !== undefined) return `${operation}:${item}`;
  const write = `${operation}:${model.name}`;
  return before === undefined ? write : `${write}/${String(before[model.id])}`;
}
