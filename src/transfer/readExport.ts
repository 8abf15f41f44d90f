import type { Context } from "../operation/context.js";
import { permit } from "../operation/permit.js";
import type { Faults } from "../query/fault.js";
import type { LinkedResource } from "../resource/link.js";
import { namedResource } from "../resource/namedResource.js";
import { gateFor } from "../schema/access.js";
import { type ExportPlan, planExport } from "./exportPlan.js";
import { parseExportBody } from "./parseExportBody.js";

/** An export as a job, with the context in which its rows may be read. */
export interface JobExport {
  readonly context: Context;
  readonly plan: ExportPlan;
  readonly gzip: boolean;
}

/**
 * Reads what a body asks for, and asks whether the principal may have it: when the job is made, and again when it is done.
 *
 * @param resources those that may be exported
 * @throws {ProblemError} INVALID_VALUE, 400 with everything that was wrong, 401, 403, 404
 */
export async function readExport(given: Context, resources: ReadonlyMap<string, LinkedResource>): Promise<JobExport> {
  const { environment, principal, authRequest, body } = given;
  const linked = namedResource(body, resources);
  const allowed = await permit(environment, { principal, authRequest, action: "list", collection: linked.name });
  const context = { ...given, permit: allowed };
  const faults: Faults = [];
  const gate = gateFor(principal, allowed.fields);
  const asked = parseExportBody(body as Record<string, unknown>, linked.table, gate, environment.lists.query, faults);
  return { context, plan: await planExport(linked, context, asked, faults), gzip: asked.gzip };
}
