import type { ResourceCalls } from "../collection.js";
import type { RowId } from "../parameters.js";
import type { Members } from "./members.js";

const viewNames = ["fields", "exclude", "include"];

/**
 * Writes, and returns the row as the options ask for it: a write answers it without related rows.
 *
 * @param options those of a write, and `fields`, `exclude` and `include`
 */
export async function writeAndShow(
  calls: ResourceCalls,
  options: Members,
  idOf: (row: Members) => RowId,
  write: (options: Members) => Promise<unknown>,
): Promise<Members> {
  const isView = ([name]: readonly [string, unknown]) => viewNames.includes(name);
  const members = Object.entries(options);
  const row = (await write(Object.fromEntries(members.filter((each) => !isView(each))))) as Members;
  if (!members.some(isView)) return row;
  const { ifMatch: _, idempotencyKey: __, ...read } = options;
  return (await calls.get(idOf(row), read)) as Members;
}
