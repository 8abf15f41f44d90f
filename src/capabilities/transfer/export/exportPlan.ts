import type { Context } from "../../../engine/operation/context.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import { resolveRelations } from "../../../engine/resource/relations/relatedFilter.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { Filter } from "../../../ground/storage/filter.js";
import type { SortKey } from "../../../ground/storage/query.js";
import { parseSelection } from "../../../language/fields/parse.js";
import type { View } from "../../../language/fields/view.js";
import type { Faults } from "../../../language/query/fault.js";
import { refuseFaults } from "../../../language/query/grammar/parse.js";
import { gateFor } from "../../../language/schema/access.js";
import type { ExportOptions } from "./exportOptions.js";
import type { ExportQuery } from "./parseExportQuery.js";

/** A valid export: which rows it reads, which fields it shows, and in which format. */
export interface ExportPlan {
  readonly linked: LinkedResource;
  readonly filter: Filter | undefined;
  readonly sort: readonly SortKey[];
  readonly view: View;
  readonly options: ExportOptions;
}

/**
 * Makes the plan of a parsed export. If the request chooses no fields, the export has the full view: all fields but heavy ones.
 *
 * @param context its `permit` allows to list the collection
 * @param faults the faults of the request so far
 * @throws {ProblemError} 400 with all faults; 403 FORBIDDEN_FIELD; FORBIDDEN if no field may be read
 */
export async function planExport(linked: LinkedResource, context: Context, { query, options }: ExportQuery, faults: Faults): Promise<ExportPlan> {
  const { principal, environment, permit } = context;
  const { fields } = permit;
  const own = gateFor(principal, fields);
  const related = fields === undefined ? own : gateFor(principal);
  const selection = parseSelection(query.selection, linked, { kind: "full", own, related, limits: environment.limits }, faults);
  for (const name of selection.relations.keys()) {
    const detail = `An export cannot contain related rows; "${name}" is a relation.`;
    faults.push({ code: "UNKNOWN_FIELD", detail, ...query.selection.fields?.place });
  }
  refuseFaults(faults);
  const view = linked.views.chosen(selection, "full", principal, fields);
  if (view.fields.size === 0) throw new ProblemError("FORBIDDEN", `Not allowed to read any field of "${linked.name}".`);
  return { linked, filter: await resolveRelations(linked, context, query.filter), sort: query.sort, view, options };
}
