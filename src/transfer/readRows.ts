import { type Context, readCall } from "../operation/context.js";
import type { ExportPlan } from "./exportPlan.js";

/** As many rows as there are; every engine takes it for a limit. */
const noLimit = Number.MAX_SAFE_INTEGER;
const batchRows = 1_000;

/** The rows of an export as clients see them, in batches from one snapshot where the store has any. */
export async function* readRows(
  context: Context,
  { linked, filter, sort, view }: ExportPlan,
): AsyncGenerator<readonly Readonly<Record<string, unknown>>[], void, void> {
  const fields = view.columns?.map((name) => [name] as const);
  const call = Object.assign(readCall(context), { batch: batchRows });
  const found = context.environment.collection(linked.name).iterate({ filter, sort, fields, limit: noLimit }, call);
  for await (const rows of found) yield rows.map(view.select);
}
