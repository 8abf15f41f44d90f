import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { type Context, readCall } from "../context.js";
import type { AllowedRows } from "./allowedRows.js";

const idsPerQuery = 1_000;

/** The rows of a collection that a stored answer shows and that may not be read any more: their ids as texts, or all, because the principal may read none. */
export type HiddenRows = ReadonlySet<string> | "all";

const noneHidden: ReadonlySet<string> = new Set();

/**
 * Asks the scope of a collection again for rows that a stored answer shows. Rows that are gone do not matter: what they contained was shown when it might be.
 *
 * @param ids as JSON
 */
export async function hiddenRows(context: Context, collection: string, ids: readonly (string | number)[]): Promise<HiddenRows> {
  const model = context.environment.models.get(collection);
  const allowed = await context.scopes?.ask(collection, "read", "before");
  if (model === undefined || allowed?.filter === undefined) return noneHidden;
  return allowed.isNone ? "all" : hiddenIn(context, model, allowed, ids);
}

async function hiddenIn(
  context: Context,
  model: CollectionModel,
  { filter }: AllowedRows,
  ids: readonly (string | number)[],
): Promise<ReadonlySet<string>> {
  const path = [model.id] as const;
  const rows = context.environment.schemaRows(model.name);
  const hidden = new Set<string>();
  for (let start = 0; start < ids.length; start += idsPerQuery) {
    const values = ids.slice(start, start + idsPerQuery).map((id) => readId(model, id));
    const byId = { op: "in", path, values } as const;
    const bounds = { sort: [], fields: [path], limit: values.length };
    const within = filter === undefined ? byId : ({ op: "and", args: [byId, filter] } as const);
    const readable = await rows.find({ ...bounds, filter: within }, readCall(context));
    if (readable.length === values.length) continue;
    const readableIds = new Set(readable.map((row) => String(row[model.id])));
    const existing = await rows.find({ ...bounds, filter: byId }, readCall(context));
    for (const row of existing) if (!readableIds.has(String(row[model.id]))) hidden.add(String(row[model.id]));
  }
  return hidden;
}

function readId({ id, columns }: CollectionModel, value: string | number): Id {
  return columns.some(({ name, kind }) => name === id && kind === "bigint") ? BigInt(value) : value;
}
