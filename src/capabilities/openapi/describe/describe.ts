import type { OperationDescription } from "../../../engine/operation/description.js";
import type { Operation } from "../../../engine/operation/operation.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import type { Describing } from "../describing.js";
import { describeAction, inputSchema } from "./actions.js";
import { batchDescribers, describeBatchedAction } from "./batches.js";
import { otherDescribers } from "./others.js";
import { keyInPath, one, rowDescribers } from "./rows.js";
import { describeExport, describeImport, describeJobOperation } from "./transfer.js";
import { describeForm, describeUpload } from "./uploads.js";
import { webhookDescribers } from "./webhooks.js";

/** What a document says of an operation; `undefined` for one of a capability that does not describe it. */
export function describeOperation(describing: Describing, operation: Operation): OperationDescription | undefined {
  if (operation.description !== undefined) return operation.description;
  // A collection may have the name of a capability that the service does not use, such as "exports".
  if (!describing.resources.has(operation.name.split(".")[0] ?? "")) {
    const known = otherDescribers[operation.name] ?? webhookDescribers[operation.name];
    if (known !== undefined) return known(describing, operation);
    const upload = describeUpload(describing, operation.name);
    if (upload !== undefined) return upload;
  }
  const linked = collectionOf(describing, operation);
  if (linked !== undefined) {
    const description = describeForCollection(describing, linked, operation);
    const above = keyInPath(describing, operation);
    return above && description ? { ...description, summary: `${description.summary} of ${one(above.parent)}` } : description;
  }
  if (operation.form !== undefined) return describeForm(describing, operation.name, operation.form);
  return describeJobOperation(describing, operation.name);
}

/** The collection that an operation is about. */
export function collectionOf({ resources }: Pick<Describing, "resources">, { access, name }: Operation): LinkedResource | undefined {
  return resources.get(access?.collection ?? name.split(".")[0] ?? "");
}

function describeForCollection(describing: Describing, linked: LinkedResource, operation: Operation): OperationDescription | undefined {
  if (operation.action !== undefined) return describeAction(describing, linked, operation, operation.action);
  const kind = operation.name.slice(operation.name.lastIndexOf(".") + 1);
  const rows = rowDescribers[kind] ?? batchDescribers[kind];
  if (rows !== undefined) return rows(describing, linked, operation);
  if (kind === "import") return describeImport(describing, linked, operation);
  if (kind === "export") return describeExport(describing, linked);
  const action = operation.access?.action ?? "";
  const single = describing.operations.get(operation.itemName ?? "")?.action;
  return single && describeBatchedAction(describing, linked, action, inputSchema(describing, linked, action, single), single);
}
