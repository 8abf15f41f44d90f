import type { Context } from "../../operation/context.js";
import { tryPermit } from "../../operation/permit.js";
import type { LinkedResource } from "../../resource/relations/link.js";
import { gateFor } from "../../schema/access.js";
import type { ExportFile } from "./exportFile.js";

/** Whether the principal may still list the collection and read every field of the file. */
export async function mayDownload(
  { environment, principal }: Context,
  { collection, fields }: ExportFile,
  resources: ReadonlyMap<string, LinkedResource>,
): Promise<boolean> {
  const known = resources.get(collection)?.fields;
  const permit = await tryPermit(environment, { principal, action: "list", collection });
  if (known === undefined || permit === undefined) return false;
  const gate = gateFor(principal, permit.fields);
  return fields.every((name) => {
    const field = known.get(name);
    return field !== undefined && gate(field, "read") === "allowed";
  });
}
