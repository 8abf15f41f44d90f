import type { Host } from "../../../engine/capability/host.js";
import { environmentIn } from "../../../engine/operation/answers/apiVersion.js";
import type { Context } from "../../../engine/operation/context.js";
import { tryPermit } from "../../../engine/operation/permit.js";
import { scopeTag } from "../../../engine/operation/rules/scopeTag.js";
import { gateFor } from "../../../language/schema/access.js";
import type { ExportFile } from "./exportFile.js";

/**
 * What a principal may do with the file of an export now.
 *
 * - `open`: download it.
 * - `forbidden`: it may not list the collection.
 * - `hidden`: its scope allows no row.
 * - `outdated`: it may not read every field of the file, or its scope allows other rows than those that the file was made of.
 */
export type Download = "open" | "forbidden" | "hidden" | "outdated";

/** Asks `authorize`, the field rules and the scope again. The rows themselves may have moved meanwhile: a file is a snapshot. */
export async function mayDownload(
  { principal, scopes }: Context,
  { collection, fields, scope, version }: ExportFile,
  { environment, resourcesIn }: Pick<Host, "environment" | "resourcesIn">,
): Promise<Download> {
  const linked = resourcesIn(version).get(collection);
  const known = linked?.resource.canExport ? linked.fields : undefined;
  const permit = await tryPermit(environmentIn(environment, version), { principal, action: "list", collection });
  if (known === undefined || permit === undefined) return "forbidden";
  const allowed = await scopes?.ask(collection, "read", "before");
  if (allowed?.isNone) return "hidden";
  const today = allowed && scopeTag(allowed);
  // Whoever may read all rows may read those of the file.
  if (today !== undefined && today !== scope) return "outdated";
  const gate = gateFor(principal, permit.fields);
  const readsAll = fields.every((name) => {
    const field = known.get(name);
    return field !== undefined && gate(field, "read") === "allowed";
  });
  return readsAll ? "open" : "outdated";
}
