import { parseSelection } from "../fields/parse.js";
import type { View } from "../fields/view.js";
import type { Context } from "../operation/context.js";
import { ProblemError } from "../problem/index.js";
import type { Faults } from "../query/fault.js";
import { refuseFaults } from "../query/parse.js";
import type { LinkedResource } from "../resource/link.js";
import { resolveRelations } from "../resource/relatedFilter.js";
import { gateFor } from "../schema/access.js";
import type { Filter } from "../storage/filter.js";
import type { SortKey } from "../storage/query.js";
import type { ExportOptions } from "./exportOptions.js";
import type { ExportQuery } from "./parseExportQuery.js";

/** An export that was asked for rightly: which rows it reads, what it shows of them, and how. */
export interface ExportPlan {
  readonly linked: LinkedResource;
  readonly filter: Filter | undefined;
  readonly sort: readonly SortKey[];
  readonly view: View;
  readonly options: ExportOptions;
}

/**
 * Makes the plan of a parsed export. What is shown where nothing is chosen is the full view, which holds all but heavy fields.
 *
 * @param context whose `permit` is one to list the collection
 * @param faults what was wrong so far
 * @throws {ProblemError} 400 with everything that was wrong, 403 FORBIDDEN_FIELD, FORBIDDEN where nothing is left to show
 */
export async function planExport(linked: LinkedResource, context: Context, { query, options }: ExportQuery, faults: Faults): Promise<ExportPlan> {
  const { principal, environment, permit } = context;
  const { fields } = permit;
  const own = gateFor(principal, fields);
  const related = fields === undefined ? own : gateFor(principal);
  const selection = parseSelection(query.selection, linked, { kind: "full", own, related, limits: environment.limits }, faults);
  for (const name of selection.relations.keys()) {
    const detail = `An export holds no related rows; "${name}" is a relation.`;
    faults.push({ code: "UNKNOWN_FIELD", detail, ...query.selection.fields?.place });
  }
  refuseFaults(faults);
  const view = linked.views.chosen(selection, "full", principal, fields);
  if (view.fields.size === 0) throw new ProblemError("FORBIDDEN", `You may read no field of "${linked.name}".`);
  return { linked, filter: await resolveRelations(linked, context, query.filter), sort: query.sort, view, options };
}
