import type { Host } from "../../capability/host.js";
import { environmentIn } from "../../operation/apiVersion.js";
import type { Context } from "../../operation/context.js";
import { tryPermit } from "../../operation/permit.js";
import { gateFor } from "../../schema/access.js";
import type { ExportFile } from "./exportFile.js";

/** Whether the principal may still list the collection and read every field of the file. */
export async function mayDownload(
  { principal }: Context,
  { collection, fields, version }: ExportFile,
  { environment, resourcesIn }: Pick<Host, "environment" | "resourcesIn">,
): Promise<boolean> {
  const linked = resourcesIn(version).get(collection);
  const known = linked?.resource.canExport ? linked.fields : undefined;
  const permit = await tryPermit(environmentIn(environment, version), { principal, action: "list", collection });
  if (known === undefined || permit === undefined) return false;
  const gate = gateFor(principal, permit.fields);
  return fields.every((name) => {
    const field = known.get(name);
    return field !== undefined && gate(field, "read") === "allowed";
  });
}
