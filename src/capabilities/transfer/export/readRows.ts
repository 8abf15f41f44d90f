import { type Context, readCall } from "../../../engine/operation/context.js";
import { readableRows } from "../../../engine/operation/rules/readableRows.js";
import { rowsPerCall } from "../../../engine/resource/write/rowsPerCall.js";
import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import type { ExportPlan } from "./exportPlan.js";

/** No limit; every engine accepts this number. */
const noLimit = Number.MAX_SAFE_INTEGER;

/** The rows of an export as clients see them, in batches. All are of one snapshot if the store has snapshots. */
export async function* readRows(
  context: Context,
  { linked, filter, sort, view }: ExportPlan,
): AsyncGenerator<readonly Readonly<Record<string, unknown>>[], void, void> {
  const fields = view.columns?.map((name) => [name] as const);
  const call = Object.assign(readCall(context), { batch: rowsPerCall(linked), isBackground: context.job !== undefined });
  const readable = await readableRows(context, linked.name);
  const found = readable.iterate({ filter, sort, fields, limit: noLimit }, call);
  for await (const rows of found) yield await mapInTurns(rows, view.select);
}
