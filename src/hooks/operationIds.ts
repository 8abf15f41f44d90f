import type { HookedWrite } from "../operation/rowHooks.js";

/** Ids of operations that have none, by the request: they survive retries. */
const made = new WeakMap<object, string>();

/** How a row is written: alone and new, new together with others, or a row that exists. */
export type WriteForm = "new" | "newOfMany" | "existing";

/**
 * The id of the write of one row: the same in each attempt of its operation.
 *
 * @param row the new row, or the row before the write
 */
export function operationIdOf({ writer, model }: HookedWrite, form: WriteForm, row: Readonly<Record<string, unknown>>): string {
  const { operationId = ownId(writer), way } = writer;
  const write = `${operationId}:${model.name}`;
  if (form === "new") return write;
  // The version that was made for a new row names it before it has an id.
  if (form === "newOfMany") return `${write}/${String(row["_version"])}`;
  const id = `${write}/${String(row[model.id])}`;
  // A row that a batch writes twice has another version the second time.
  return way === "batch" || way === "import" ? `${id}@${String(row["_version"])}` : id;
}

function ownId({ authRequest, environment }: HookedWrite["writer"]): string {
  const known = made.get(authRequest) ?? environment.ids.ulid();
  made.set(authRequest, known);
  return known;
}
