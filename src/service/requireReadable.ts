import type { RowIds } from "../idempotency/storedResponse.js";
import { type Context, readCall } from "../operation/context.js";
import type { AllowedRows } from "../operation/rules/allowedRows.js";
import { ProblemError } from "../problem/index.js";
import type { CollectionModel } from "../storage/model.js";
import type { Id } from "../storage/scalar.js";

const idsPerQuery = 1_000;

/**
 * Asks the scopes again before a stored answer is replayed. Rows that are gone do not matter: what they contained was shown when it might be.
 *
 * @throws {ProblemError} FORBIDDEN for a row that exists and that the principal may not read now, and if it may read none of a collection
 */
export async function requireReadable(context: Context, rows: RowIds): Promise<void> {
  for (const [collection, ids] of rows) {
    const model = context.environment.models.get(collection);
    const allowed = await context.scopes?.ask(collection, "read", "before");
    if (model === undefined || allowed?.filter === undefined) continue;
    if (!allowed.isNone && !(await hasHidden(context, model, allowed, ids))) continue;
    throw new ProblemError("FORBIDDEN", "The stored response shows rows that you may not read any more. The operation itself is done.");
  }
}

async function hasHidden(context: Context, model: CollectionModel, { filter }: AllowedRows, ids: readonly (string | number)[]): Promise<boolean> {
  const path = [model.id] as const;
  const rows = context.environment.schemaRows(model.name);
  for (let start = 0; start < ids.length; start += idsPerQuery) {
    const values = ids.slice(start, start + idsPerQuery).map((id) => readId(model, id));
    const byId = { op: "in", path, values } as const;
    const bounds = { sort: [], fields: [path], limit: values.length };
    const within = filter === undefined ? byId : ({ op: "and", args: [byId, filter] } as const);
    const readable = await rows.find({ ...bounds, filter: within }, readCall(context));
    if (readable.length === values.length) continue;
    const existing = await rows.find({ ...bounds, filter: byId }, readCall(context));
    if (existing.length > readable.length) return true;
  }
  return false;
}

function readId({ id, columns }: CollectionModel, value: string | number): Id {
  return columns.some(({ name, kind }) => name === id && kind === "bigint") ? BigInt(value) : value;
}
