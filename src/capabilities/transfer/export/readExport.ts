import type { Context } from "../../../engine/operation/context.js";
import { permit } from "../../../engine/operation/permit.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import { namedResource } from "../../../engine/resource/relations/namedResource.js";
import type { Faults } from "../../../language/query/fault.js";
import { gateFor } from "../../../language/schema/access.js";
import { type ExportPlan, planExport } from "./exportPlan.js";
import { parseExportBody } from "./parseExportBody.js";

/** A permitted export as a job, with the context that has its permit. */
export interface JobExport {
  readonly context: Context;
  readonly plan: ExportPlan;
  readonly gzip: boolean;
}

/**
 * Parses the body of an export and asks `authorize`. Runs when the job is created, and again when it runs.
 *
 * @param resources the exportable resources
 * @throws {ProblemError} INVALID_VALUE, 400 with all faults, 401, 403, 404
 */
export async function readExport(given: Context, resources: ReadonlyMap<string, LinkedResource>): Promise<JobExport> {
  const { environment, principal, authRequest, body } = given;
  const linked = namedResource(body, resources);
  const allowed = await permit(environment, { principal, authRequest, action: "list", collection: linked.name });
  const context = { ...given, permit: allowed };
  const faults: Faults = [];
  const gate = gateFor(principal, allowed.fields);
  const parsed = parseExportBody(body as Record<string, unknown>, { table: linked.table, gate, settings: environment.lists.query, faults });
  return { context, plan: await planExport(linked, context, parsed, faults), gzip: parsed.gzip };
}
